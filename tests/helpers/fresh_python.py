"""Code in a Python of its own, which finds this checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def ran(
    code: str, *arguments: str | Path, before: tuple[Path, ...] = (), **env: str
) -> subprocess.CompletedProcess[str]:
    """What came of running the code without a display, `before` first on its path. Fails with what
    it wrote when it does not end well, and within 100 s."""
    search = os.pathsep.join(map(str, [*before, ROOT]))
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": search, "QT_QPA_PLATFORM": "offscreen", **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done
