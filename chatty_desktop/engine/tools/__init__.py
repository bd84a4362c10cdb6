"""Tools: those that come with the app, one file each, and all boxes of tools as one."""
