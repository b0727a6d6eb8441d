"""Short random IDs."""

import secrets

# No i, l, o or 0, which are hard to tell apart. There are 32 characters, so each adds five bits of chance.
ALPHABET = "abcdefghjkmnpqrstuvwxyz123456789"


def generate_id(length=16):
    """A random ID that is safe in URLs and file names. The length may be text, as people type it."""
    if not str(length).isdecimal() or not 4 <= int(length) <= 64:
        raise ValueError("The length must be from 4 to 64.")
    return "".join(secrets.choice(ALPHABET) for _ in range(int(length)))
