"""Short random IDs."""

import secrets

# Leaves out i, l, o and 0, which look alike. With 32 characters, each adds five random bits.
ALPHABET = "abcdefghjkmnpqrstuvwxyz123456789"


def generate_id(length=16):
    """A random ID that is safe in URLs and file names. The length may be text, as people type it."""
    if not str(length).isdecimal() or not 4 <= int(length) <= 64:
        raise ValueError("The length must be from 4 to 64.")
    return "".join(secrets.choice(ALPHABET) for _ in range(int(length)))
