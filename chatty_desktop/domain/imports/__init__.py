"""Chats of other programs, read from what those programs export."""
