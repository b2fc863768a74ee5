"""Text from outside as it may stand anywhere: on a page, in a picture, on a terminal, in a file."""


def printable(text: str) -> str:
    """The text with its escape, such as \\x1b, in place of each character that has no shape of its own:
    control characters, new lines, marks that turn the direction of writing, halves of a surrogate pair."""
    return text if text.isprintable() else "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def all_printable(value):
    """A parsed JSON value with every text in it, keys too, printable."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return [all_printable(inner) for inner in value]
    if isinstance(value, dict):
        return {printable(key): all_printable(inner) for key, inner in value.items()}
    return value
