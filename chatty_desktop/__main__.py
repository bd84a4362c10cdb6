"""The `chatty-desktop` command: opens the window, or runs a headless command."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from chatty_desktop.cli.arguments import parse


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; returns its exit status: 0, 1 for a failure, 2 for a wrong call."""
    arguments = parse(argv)
    if arguments.command is None:
        # Qt is loaded for the window alone: the headless commands work where it cannot be.
        from chatty_desktop.ui import application

        return application.run(
            arguments.data_dir,
            arguments.database,
            arguments.episodes,
            take_over=arguments.take_over,
        )
    from chatty_desktop.cli import headless

    return headless.run(arguments)


if __name__ == "__main__":
    sys.exit(main())
