"""Become the embedded server, and end with the process that asked for it.

Run as a script: `embedded_child.py PARENT COMMAND...`. A fresh interpreter does
this, because between a fork and an exec nothing of the kind is safe in a process
with threads.
"""

import ctypes
import os
import select
import signal
import sys
from pathlib import Path
from typing import Final, NoReturn

_PR_SET_PDEATHSIG: Final = 1
_LOOK_S: Final = 1.0


def bind_to_parent(parent: int) -> None:
    """Have this process end when its parent ends, however that ends.

    The signal is the polite one, on which the server first writes what is left to
    write; the lock on its folder covers the moment that this takes.

    Raises:
        OSError: The kernel refused.
        SystemExit: The parent has ended already.
    """
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
    else:
        watch_parent()
    if os.getppid() != parent:
        raise SystemExit("the referee has ended")


def watch_parent() -> None:
    """Leave a watcher behind that ends this process once standard input closes.

    This is for systems whose kernel does not do it: the parent holds the other end
    of the pipe for as long as it lives.
    """
    watched = os.getpid()
    if os.fork() != 0:
        return
    # The lock on the folder is the server's, not the watcher's.
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os.setsid()
    while os.getppid() == watched:
        if select.select([0], [], [], _LOOK_S)[0]:
            os.kill(watched, signal.SIGTERM)
            break
    os._exit(0)


def main(arguments: list[str]) -> NoReturn:
    """Bind to the parent, then become the command."""
    parent, *command = arguments
    bind_to_parent(int(parent))
    os.execv(Path(command[0]), command)  # noqa: S606 - no shell is wanted


if __name__ == "__main__":
    main(sys.argv[1:])
