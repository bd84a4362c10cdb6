"""MCP servers: programs and addresses that lend models their tools."""
