"""Counts what can be counted in a text."""

import math
import re

WORDS_PER_MINUTE = 200


def text_stats(text):
    """Words, characters, sentences, lines, and the minutes that the text takes to read, roughly."""
    words = len(re.findall(r"[^\W_]+(?:['’-][^\W_]+)*", text))
    return {
        "words": words,
        "characters": len(text),
        "sentences": len(re.findall(r"[^.!?…\s][^.!?…]*", text)),
        "lines": len(text.rstrip().split("\n")) if text else 0,
        "minutes": math.ceil(words / WORDS_PER_MINUTE),
    }
