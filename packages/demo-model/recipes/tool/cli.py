"""Sample Tool on the command line."""

import sys

from shouting import shout

USAGE = """Sample Tool: Says any phrase in capital letters.

Usage: python3 cli.py <phrase>
       python3 cli.py < file"""


def main(args=None):
    args = sys.argv[1:] if args is None else args
    phrase = " ".join(args) if args else piped_text()
    if phrase in ("", "--help"):
        print(USAGE)
        return 0
    try:
        print(shout(phrase))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def piped_text():
    """The text that was piped in, or nothing at a terminal."""
    return "" if sys.stdin.isatty() else sys.stdin.read().rstrip()


if __name__ == "__main__":
    sys.exit(main())
