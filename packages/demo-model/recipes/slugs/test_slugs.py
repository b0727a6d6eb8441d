import unittest

from slugs import slugify


class SlugsTest(unittest.TestCase):
    def test_joins_words_with_hyphens(self):
        self.assertEqual(slugify("  Hello, World!  "), "hello-world")
        self.assertEqual(slugify("a_b/c.d"), "a-b-c-d")

    def test_takes_accents_away_and_keeps_other_scripts(self):
        self.assertEqual(slugify("Crème brûlée"), "creme-brulee")
        self.assertEqual(slugify("Привет мир"), "привет-мир")

    def test_cuts_at_a_word(self):
        self.assertEqual(slugify("one two three", 9), "one-two")
        self.assertEqual(len(slugify("x" * 100)), 60)

    def test_refuses_a_text_without_letters_and_digits(self):
        with self.assertRaisesRegex(ValueError, "no letter or digit"):
            slugify("?!")


if __name__ == "__main__":
    unittest.main()
