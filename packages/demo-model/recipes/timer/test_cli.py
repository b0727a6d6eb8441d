import subprocess
import sys
import unittest
from pathlib import Path


class CliTest(unittest.TestCase):
    def run_cli(self, *args):
        cli = Path(__file__).with_name("cli.py")
        return subprocess.run([sys.executable, cli, *args], capture_output=True, text=True)

    def test_counts_down_to_the_end(self):
        done = self.run_cli("1s")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "0:01\nTime is up.\n")

    def test_says_what_is_wrong(self):
        done = self.run_cli("soon")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Write a time", done.stderr)

    def test_shows_its_usage_without_a_time(self):
        done = self.run_cli()
        self.assertEqual(done.returncode, 0)
        self.assertIn("Usage", done.stdout)


if __name__ == "__main__":
    unittest.main()
