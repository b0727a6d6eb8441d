import unittest

from passwords import generate_password


class PasswordsTest(unittest.TestCase):
    def test_is_as_long_as_asked(self):
        self.assertEqual(len(generate_password(8)), 8)
        self.assertEqual(len(generate_password("128")), 128)

    def test_has_characters_of_every_kind_and_none_that_look_alike(self):
        for _ in range(100):
            password = generate_password(8)
            for kind in ["[a-z]", "[A-Z]", "[2-9]", "[!#%+:=?@]"]:
                self.assertRegex(password, kind)
            self.assertNotRegex(password, "[lo01IO]")

    def test_is_never_the_same_twice(self):
        self.assertEqual(len({generate_password(16) for _ in range(100)}), 100)

    def test_refuses_what_is_too_short_too_long_or_no_number(self):
        for length in [7, 129, 8.5, "long"]:
            with self.assertRaisesRegex(ValueError, "from 8 to 128"):
                generate_password(length)


if __name__ == "__main__":
    unittest.main()
