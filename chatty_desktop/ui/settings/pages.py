"""Which pages the settings have."""

from __future__ import annotations

from chatty_desktop.ui.language import N_

PAGES: tuple[tuple[str, str, str], ...] = (
    ("providers", N_("Providers"), "hard-drives"),
    ("models", N_("Models"), "cube"),
    ("downloads", N_("Get models"), "download-simple"),
    ("engine", N_("Local engine"), "cpu"),
    ("embedder", N_("Embedder"), "target"),
    ("tools", N_("Tools"), "wrench"),
    ("appearance", N_("Appearance"), "palette"),
    ("data", N_("Data"), "database"),
    ("about", N_("About"), "info"),
)
"""In their order: the module (`page_<name>`), the title and the icon of each page."""
