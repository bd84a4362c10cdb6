"""The asyncio engine: knows the domain and its own ports, nothing else of ours."""
