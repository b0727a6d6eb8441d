import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path


class CliTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_cli(self, *args):
        """The exit code of a run, and all that it printed."""
        cli = Path(__file__).resolve().with_name("cli.py")
        command = [sys.executable, cli, *args]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, encoding="utf-8")
        return done.returncode, done.stdout + done.stderr

    def saved(self):
        return json.loads((self.folder / "samples.json").read_text(encoding="utf-8"))

    def test_keeps_samples_from_one_run_to_the_next(self):
        self.run_cli("add", "One sample")
        self.assertIn("Another sample", self.run_cli("add", "Another sample")[1])
        self.assertIn("One sample", self.run_cli("list")[1])

        one, other = self.saved()
        self.assertEqual(self.run_cli("flag", one["id"])[0], 0)
        self.assertEqual(self.run_cli("remove", other["id"])[0], 0)

        (left,) = self.saved()
        self.assertEqual(left["flagged"], True)

    def test_says_what_is_wrong(self):
        self.assertIn('no sample "nothing"', self.run_cli("remove", "nothing")[1])
        self.assertIn("add <caption>", self.run_cli()[1])


if __name__ == "__main__":
    unittest.main()
