import unittest

from ids import generate_id


class IdsTest(unittest.TestCase):
    def test_is_as_long_as_asked(self):
        self.assertEqual(len(generate_id(4)), 4)
        self.assertEqual(len(generate_id("64")), 64)
        self.assertEqual(len(generate_id()), 16)

    def test_is_safe_in_urls_and_file_names_and_easy_to_read(self):
        self.assertRegex(generate_id(64), "^[a-hjkmnp-z1-9]+$")

    def test_is_never_the_same_twice(self):
        self.assertEqual(len({generate_id() for _ in range(1000)}), 1000)

    def test_refuses_what_is_too_short_too_long_or_no_number(self):
        for length in [3, 65, 4.5, "long"]:
            with self.assertRaisesRegex(ValueError, "from 4 to 64"):
                generate_id(length)


if __name__ == "__main__":
    unittest.main()
