"""Makes names from files fit for a terminal."""


def printable(text):
    """The text with an escape, such as \\x1b, for each control character, mark of writing direction and byte that is not UTF-8."""
    text = str(text)
    return text if text.isprintable() else "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
