"""SQLite, the truth for text, behind the engine's ports."""
