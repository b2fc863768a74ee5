"""The one shape of the messages, as ndt-bench has it: "file: where: what; advice", fit for a terminal."""

EXIT_OK, EXIT_USAGE, EXIT_BAD_INPUT = 0, 1, 2


def printable(text):
    """The text with an escape, such as \\x1b, for each control character, mark of writing direction and byte that is not UTF-8."""
    text = str(text)
    return text if text.isprintable() else "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


class Fault(Exception):
    """Something in the input cannot be used. `where` may be empty."""

    exit_code = EXIT_BAD_INPUT

    def __init__(self, file, where, what, advice):
        super().__init__(printable(": ".join(str(part) for part in (file, where, what) if str(part)) + f"; {advice}"))

    def __reduce__(self):
        """Lets a child process send it."""
        return _again, (type(self), str(self))


def _again(kind, text):
    fault = kind.__new__(kind)
    fault.args = (text,)
    return fault


class UsageFault(Fault):
    """The command line asks for what cannot be done."""

    exit_code = EXIT_USAGE
