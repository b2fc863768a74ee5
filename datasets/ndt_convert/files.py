"""Files that are opened for reading."""

import os
import stat

from .faults import Fault


def require_regular(file):
    """Refuses anything but a regular file: a pipe would be waited for."""
    if not stat.S_ISREG(os.stat(file).st_mode):
        raise Fault(file, "", "is not a regular file", "give a file, neither a folder nor a pipe")


def opened(file, mode="rb", **how):
    """The open file, which must be a regular one."""
    try:
        require_regular(file)
        return open(file, mode, **how)
    except OSError as error:
        raise Fault(file, "", error.strerror, "check the path and its permissions") from None
