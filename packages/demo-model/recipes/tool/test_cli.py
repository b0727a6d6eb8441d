import subprocess
import sys
import unittest
from pathlib import Path


class CliTest(unittest.TestCase):
    def run_cli(self, *args, piped=""):
        cli = Path(__file__).with_name("cli.py")
        return subprocess.run([sys.executable, cli, *args], input=piped, capture_output=True, text=True)

    def test_prints_the_answer_for_its_arguments(self):
        done = self.run_cli("so it is")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "SO IT IS\n")

    def test_reads_from_a_pipe(self):
        done = self.run_cli(piped="so it is")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "SO IT IS\n")

    def test_shows_its_usage_without_phrase(self):
        done = self.run_cli()
        self.assertEqual(done.returncode, 0)
        self.assertIn("Usage", done.stdout)

    def test_says_what_is_wrong(self):
        done = self.run_cli("?!")
        self.assertEqual(done.returncode, 1)
        self.assertNotEqual(done.stderr, "")


if __name__ == "__main__":
    unittest.main()
