import re
import threading
import unittest
from html.parser import HTMLParser
from pathlib import Path
from urllib.request import urlopen

from serve import create_server

FOLDER = Path(__file__).resolve().parent


class Page(HTMLParser):
    """All elements of the page, as pairs of a tag and its attributes."""

    def __init__(self):
        super().__init__()
        self.elements = []
        self.feed((FOLDER / "index.html").read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def all(self, *tags):
        return [attributes for tag, attributes in self.elements if tag in tags]


class PageTest(unittest.TestCase):
    def setUp(self):
        self.page = Page()
        self.ids = [attributes["id"] for _, attributes in self.page.elements if "id" in attributes]

    def test_says_its_language_and_fits_small_screens(self):
        self.assertEqual(self.page.all("html")[0]["lang"], "en")
        self.assertIn("viewport", [meta.get("name") for meta in self.page.all("meta")])
        self.assertEqual(len(self.page.all("h1")), 1)

    def test_labels_every_field(self):
        labelled = [label["for"] for label in self.page.all("label")]
        for field in self.page.all("input", "textarea", "select"):
            self.assertIn(field["id"], labelled)

    def test_uses_every_id_once(self):
        self.assertEqual(len(self.ids), len(set(self.ids)))

    def test_has_every_element_that_the_script_looks_for(self):
        script = (FOLDER / "script.js").read_text(encoding="utf-8")
        for wanted in re.findall(r'find\("([\w-]+)"\)', script):
            self.assertIn(wanted, self.ids)

    def test_loads_its_own_files_only(self):
        files = [link["href"] for link in self.page.all("link") if link["rel"] == "stylesheet"]
        files += [script["src"] for script in self.page.all("script")]
        for file in files:
            self.assertTrue((FOLDER / file).is_file(), file)

    def test_is_served(self):
        server = create_server(0)
        self.addCleanup(server.server_close)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        self.addCleanup(server.shutdown)
        with urlopen(f"http://localhost:{server.server_port}/") as answer:
            self.assertIn(b"<h1", answer.read())


if __name__ == "__main__":
    unittest.main()
