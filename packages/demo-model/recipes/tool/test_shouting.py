import unittest

from shouting import shout


class ShoutingTest(unittest.TestCase):
    def test_says_it_in_capital_letters(self):
        self.assertEqual(shout("so it is"), "SO IT IS")

    def test_refuses_a_phrase_without_letters(self):
        with self.assertRaisesRegex(ValueError, "no letter"):
            shout("?!")


if __name__ == "__main__":
    unittest.main()
