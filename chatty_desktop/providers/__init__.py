"""Where models come from: OpenAI-compatible servers, Ollama, the local engine."""
