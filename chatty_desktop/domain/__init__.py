"""Plain values and rules: no I/O, no Qt, no asyncio."""
