"""Short names for URLs and files."""

import re
import unicodedata


def slugify(text, max_length=60):
    """Turns "Crème brûlée, for two!" into "creme-brulee-for-two"; cuts at a word when it would be too long."""
    letters = unicodedata.normalize("NFKD", text)
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter)).lower()
    words = re.findall(r"[^\W_]+", plain)
    if not words:
        raise ValueError("There is no letter or digit in this text.")

    slug = words[0][:max_length]
    for word in words[1:]:
        if len(slug) + 1 + len(word) > max_length:
            break
        slug += f"-{word}"
    return slug
