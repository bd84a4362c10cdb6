"""Chatty Desktop: chat with language models and see, decide and correct what they remember."""

__version__ = "0.1.0"
