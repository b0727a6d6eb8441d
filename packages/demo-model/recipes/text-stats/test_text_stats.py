import unittest

from text_stats import text_stats


class TextStatsTest(unittest.TestCase):
    def test_counts_words_apostrophes_and_hyphens_included(self):
        self.assertEqual(text_stats("It's a well-known fact")["words"], 4)
        self.assertEqual(text_stats("  spaces   only between  ")["words"], 3)

    def test_counts_words_and_characters_of_any_script(self):
        self.assertEqual(text_stats("Привет, мир")["words"], 2)
        self.assertEqual(text_stats("👋 hi")["characters"], 4)

    def test_counts_sentences_and_lines(self):
        stats = text_stats("One. Two!\nThree? Yes...\n")
        self.assertEqual((stats["sentences"], stats["lines"]), (4, 2))

    def test_rounds_reading_time_up(self):
        self.assertEqual(text_stats("word " * 201)["minutes"], 2)

    def test_finds_nothing_in_nothing(self):
        self.assertEqual(set(text_stats("").values()), {0})


if __name__ == "__main__":
    unittest.main()
