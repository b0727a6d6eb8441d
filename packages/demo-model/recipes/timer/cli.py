"""Counts a time down."""

import sys
import time

from timer import parse_time, to_clock


def main(args=None):
    text = " ".join(sys.argv[1:] if args is None else args)
    if text in ("", "--help"):
        print("Usage: python3 cli.py <time>, such as 25m, 90s or 1h 30m")
        return 0
    try:
        count_down(parse_time(text))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def count_down(seconds):
    """Waits for points in time rather than for seconds, so that small delays don't add up."""
    ends_at = time.monotonic() + seconds
    live = sys.stdout.isatty()  # where each second is written over the one before
    for left in range(seconds, 0, -1):
        print(to_clock(left).ljust(12) if live else to_clock(left), end="\r" if live else "\n", flush=True)
        time.sleep(max(0, ends_at - (left - 1) - time.monotonic()))
    print("Time is up.")


if __name__ == "__main__":
    sys.exit(main())
