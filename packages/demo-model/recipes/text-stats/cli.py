"""Word Counter on the command line."""

import sys

from text_stats import text_stats

USAGE = """Word Counter: Counts the words, characters, sentences and lines of a text.

Usage: python3 cli.py <text>
       python3 cli.py < file"""


def main(args=None):
    args = sys.argv[1:] if args is None else args
    text = " ".join(args) if args else piped_text()
    if text in ("", "--help"):
        print(USAGE)
        return 0
    try:
        print_table(text_stats(text))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def piped_text():
    """The text that was piped in, or nothing at a terminal."""
    return "" if sys.stdin.isatty() else sys.stdin.read().rstrip()


def print_table(table):
    for name, value in table.items():
        print(f"{name:<12}{value}")


if __name__ == "__main__":
    sys.exit(main())
