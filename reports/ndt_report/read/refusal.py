"""Input that is not what it should be: which file, where in it, what is wrong, what to do."""


class InputError(Exception):
    """Its text is for the user; __main__ prints it and exits with 2."""


def refusal(file, where, what, advice) -> InputError:
    return InputError(f"{file}: {where + ': ' if where else ''}{what}; {advice}")
