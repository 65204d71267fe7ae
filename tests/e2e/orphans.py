"""Finds processes that outlive the program which started them: the test becomes their parent, whatever else the machine runs."""
import ctypes
import os
import pathlib
import time

PR_SET_CHILD_SUBREAPER = 36


def adopt():
    """From now on, what loses its parent below this process becomes its child."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "can't become a subreaper")


def children(pid):
    found = []
    for thread in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            found += [int(word) for word in (thread / "children").read_text().split()]
        except OSError:
            pass
    return found


def left(seconds):
    """Processes below this one that are still alive after `seconds`; those that have ended are buried."""
    end = time.monotonic() + seconds
    while True:
        alive = [pid for pid in children(os.getpid()) if os.waitpid(pid, os.WNOHANG) == (0, 0)]
        if not alive or time.monotonic() >= end:
            return {pid: pathlib.Path(f"/proc/{pid}/comm").read_text().strip() for pid in alive}
        time.sleep(0.02)
