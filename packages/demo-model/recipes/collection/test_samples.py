import unittest

from samples import Samples


class SamplesTest(unittest.TestCase):
    def setUp(self):
        self.samples = Samples()

    def test_lists_what_was_added_in_that_order(self):
        self.samples.add("One sample")
        self.samples.add("Another sample")
        self.assertEqual([sample.caption for sample in self.samples.all()], ["One sample", "Another sample"])

    def test_refuses_an_empty_caption(self):
        with self.assertRaisesRegex(ValueError, "a caption"):
            self.samples.add("  ")

    def test_flags_one_and_leaves_the_others_alone(self):
        one = self.samples.add("One sample")
        other = self.samples.add("Another sample")
        self.assertEqual(self.samples.flag(one.id).flagged, True)
        self.assertEqual(self.samples.get(other.id).flagged, False)
        self.assertIsNone(self.samples.flag("nothing"))

    def test_removes_each_once(self):
        sample = self.samples.add("One sample")
        self.assertTrue(self.samples.remove(sample.id))
        self.assertFalse(self.samples.remove(sample.id))
        self.assertEqual(self.samples.all(), [])

    def test_goes_on_where_a_saved_list_ended(self):
        self.samples.add("One sample")
        after = Samples(self.samples.all())
        after.add("Another sample")
        self.assertEqual(len({sample.id for sample in after.all()}), 2)


if __name__ == "__main__":
    unittest.main()
