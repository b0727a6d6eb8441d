"""Short links in memory."""

import secrets
from dataclasses import dataclass, field
from datetime import datetime, timezone
from urllib.parse import urlsplit

# Letters and digits that are easy to read aloud: no i, l, o or 0.
ALPHABET = "abcdefghjkmnpqrstuvwxyz123456789"


def now():
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


@dataclass
class Link:
    id: str  # the short code that stands for the URL
    url: str
    visits: int = 0
    created_at: str = field(default_factory=now)


class Links:
    """Short links. ``saved`` is what ``all()`` returned earlier."""

    def __init__(self, saved=()):
        self._by_id = {link.id: link for link in saved}

    def all(self):
        return list(self._by_id.values())

    def get(self, id):
        return self._by_id.get(id)

    def add(self, text):
        """The link for a URL; the same URL always gets the same one."""
        url = web_address(text)
        for link in self._by_id.values():
            if link.url == url:
                return link
        link = Link(self._free_code(), url)
        self._by_id[link.id] = link
        return link

    def visit(self, id):
        """Counts a visit, and returns where the link leads."""
        link = self._by_id.get(id)
        if link:
            link.visits += 1
        return link

    def remove(self, id):
        return self._by_id.pop(id, None) is not None

    def _free_code(self):
        while True:
            code = "".join(secrets.choice(ALPHABET) for _ in range(6))
            if code not in self._by_id:
                return code


def web_address(text):
    """Only web addresses: a short link must never hide a script or a file, nor break out of a header."""
    url = text.strip()
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or not (url.isascii() and url.isprintable()):
        raise ValueError("Give a full URL that starts with http:// or https://.")
    return url
