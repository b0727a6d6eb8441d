"""Random passwords."""

import secrets

# No l, o, I, O, 0 or 1, which look alike.
KINDS = ["abcdefghijkmnpqrstuvwxyz", "ABCDEFGHJKLMNPQRSTUVWXYZ", "23456789", "!#%+:=?@"]
ALPHABET = "".join(KINDS)


def generate_password(length):
    """A random password with characters of all four kinds. The length may be text, as people type it."""
    if not str(length).isdecimal() or not 8 <= int(length) <= 128:
        raise ValueError("The length must be from 8 to 128.")
    while True:
        password = "".join(secrets.choice(ALPHABET) for _ in range(int(length)))
        if all(set(kind) & set(password) for kind in KINDS):
            return password
