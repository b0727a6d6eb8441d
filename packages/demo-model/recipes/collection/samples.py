"""Keeps samples in memory."""

import math
import re
from datetime import datetime, timezone

# The fields of a sample. The first is required, the others are optional.
FIELDS = {
    "caption": "text",
}

# The items in a new list.
STARTERS = []


def now():
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


class Samples:
    """A list of samples. ``saved`` is what ``all()`` returned earlier."""

    def __init__(self, saved=()):
        self._by_id = {sample["id"]: sample for sample in saved}
        self._last_id = max((int(id) for id in self._by_id), default=0)

    def all(self):
        return list(self._by_id.values())

    def get(self, id):
        return self._by_id.get(id)

    def add(self, values):
        noted = read_fields(values)
        self._last_id += 1
        sample = {"id": str(self._last_id), **noted, "flagged": False, "created_at": now()}
        self._by_id[sample["id"]] = sample
        return sample

    def change(self, id, values):
        """Changes the fields that ``values`` names."""
        sample = self._by_id.get(id)
        if sample:
            sample.update(read_fields({**sample, **values}))
        return sample

    def flag(self, id):
        """Turns ``flagged`` on, and off again the next time."""
        sample = self._by_id.get(id)
        if sample:
            sample["flagged"] = not sample["flagged"]
        return sample

    def remove(self, id):
        return self._by_id.pop(id, None) is not None


def new_samples():
    samples = Samples()
    for starter in STARTERS:
        samples.add({"caption": starter})
    return samples


def describe(sample):
    """A sample as one line of text."""
    return " · ".join(str(sample[name]) for name in FIELDS if sample.get(name, "") != "")


def summary(samples):
    """A summary of the list."""
    if not samples:
        return "No samples yet."
    return "1 sample" if len(samples) == 1 else f"{len(samples)} samples"


def read_fields(values):
    """Checks the values, and drops those that aren't fields."""
    return {name: read_field(name, kind, values.get(name, "")) for name, kind in FIELDS.items()}


def read_field(name, kind, value):
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise ValueError(f"Send {name} as text.")
    text = str(value).strip()
    if text == "" and name == next(iter(FIELDS)):
        raise ValueError(f"{name} is missing.")
    if text == "" or kind == "text":
        return text
    if kind == "number":
        return read_number(name, text)
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        raise ValueError(f"{name} must be a date such as 2026-12-31.")
    return text


def read_number(name, text):
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a number.")
    return int(number) if number.is_integer() else number
