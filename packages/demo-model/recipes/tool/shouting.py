"""Capital letters."""


def shout(phrase):
    """The phrase in capital letters."""
    if not any(letter.isalpha() for letter in phrase):
        raise ValueError("There is no letter in this phrase.")
    return phrase.upper()
