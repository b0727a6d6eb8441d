"""Keeps samples in memory."""

from dataclasses import dataclass, field
from datetime import datetime, timezone


def now():
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


@dataclass
class Sample:
    id: str
    caption: str
    flagged: bool = False
    created_at: str = field(default_factory=now)


class Samples:
    """A list of samples. It begins with those that an earlier ``all()`` gave."""

    def __init__(self, saved=()):
        self._by_id = {sample.id: sample for sample in saved}
        self._last_id = max((int(id) for id in self._by_id), default=0)

    def all(self):
        return list(self._by_id.values())

    def get(self, id):
        return self._by_id.get(id)

    def add(self, caption):
        if not caption.strip():
            raise ValueError("Give the sample a caption.")
        self._last_id += 1
        sample = Sample(str(self._last_id), caption.strip())
        self._by_id[sample.id] = sample
        return sample

    def flag(self, id):
        """Turns ``flagged`` on, and off again the next time."""
        sample = self._by_id.get(id)
        if sample:
            sample.flagged = not sample.flagged
        return sample

    def remove(self, id):
        return self._by_id.pop(id, None) is not None
