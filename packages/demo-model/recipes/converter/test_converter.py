import unittest

from converter import convert


class ConverterTest(unittest.TestCase):
    def test_converts_temperatures(self):
        self.assertEqual(convert("20 C to F"), "68 F")
        self.assertEqual(convert("-40 °F in °C"), "-40 C")
        self.assertEqual(convert("0 K to C"), "-273.15 C")

    def test_converts_lengths_weights_and_volumes(self):
        self.assertEqual(convert("1 mi to km"), "1.6093 km")
        self.assertEqual(convert("10 cm in in"), "3.937 in")
        self.assertEqual(convert("1 kg to lb"), "2.2046 lb")
        self.assertEqual(convert("2 l to ml"), "2000 ml")

    def test_comes_back_to_where_it_was(self):
        self.assertEqual(convert(convert("12.5 C to F").replace("F", "F to C")), "12.5 C")

    def test_says_what_is_wrong(self):
        for question, reason in [
            ("20 C to kg", "C is a temperature, but kg is a weight"),
            ("20 C to bananas", 'no unit "bananas"'),
            ("hello", "Ask like this"),
        ]:
            with self.assertRaisesRegex(ValueError, reason):
                convert(question)


if __name__ == "__main__":
    unittest.main()
