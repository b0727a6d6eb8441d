import unittest

from calculator import evaluate


class CalculatorTest(unittest.TestCase):
    def test_multiplies_before_it_adds(self):
        self.assertEqual(evaluate("2 + 3 * 4"), 14)
        self.assertEqual(evaluate("2 * (3 + 4)"), 14)

    def test_goes_from_left_to_right_but_powers_from_right_to_left(self):
        self.assertEqual(evaluate("10 - 4 - 3"), 3)
        self.assertEqual(evaluate("24 / 4 / 2"), 3)
        self.assertEqual(evaluate("2 ^ 3 ^ 2"), 512)

    def test_knows_signs(self):
        self.assertEqual(evaluate("-2 ^ 2"), -4)
        self.assertEqual(evaluate("3 - -2"), 5)

    def test_adds_decimals_as_people_do(self):
        self.assertEqual(evaluate("0.1 + 0.2"), 0.3)
        self.assertEqual(evaluate(".5 * 4"), 2)

    def test_says_what_is_wrong(self):
        for expression, reason in [
            ("2 +", "ends too early"),
            ("(2", "bracket is missing"),
            ("2 apples", '"a" was not expected'),
            ("1 / 0", "not a number"),
            ("10 ^ 400", "not a number"),
        ]:
            with self.assertRaisesRegex(ValueError, reason):
                evaluate(expression)


if __name__ == "__main__":
    unittest.main()
