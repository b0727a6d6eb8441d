"""Times as people write them, and as a clock shows them."""

import re

CLOCK = re.compile(r"(?:(\d+):)?(\d{1,2}):(\d{2})")
MINUTES = re.compile(r"()(\d+)()")
UNITS = re.compile(r"(?:(\d+)\s*h)?\s*(?:(\d+)\s*m(?:in)?)?\s*(?:(\d+)\s*s)?", re.IGNORECASE)


def parse_time(time):
    """The seconds in a time such as "1h 30m", "90s" or "2:30". A number alone means minutes."""
    text = time.strip()
    match = CLOCK.fullmatch(text) or MINUTES.fullmatch(text) or UNITS.fullmatch(text)
    hours, minutes, seconds = (int(part or 0) for part in match.groups()) if match else (0, 0, 0)
    total = hours * 3600 + minutes * 60 + seconds
    if not 0 < total <= 86_400:
        raise ValueError('Write a time up to a day, such as "25m" or "1h 30m".')
    return total


def to_clock(seconds):
    """Shows 5400 seconds as "1:30:00", and 65 as "1:05"."""
    hours, rest = divmod(seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def read_timer(time):
    seconds = parse_time(time)
    return {"seconds": seconds, "clock": to_clock(seconds)}
