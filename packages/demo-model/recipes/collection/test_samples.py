import unittest

from samples import FIELDS, STARTERS, Samples, describe, new_samples, summary


class SamplesTest(unittest.TestCase):
    def setUp(self):
        self.samples = Samples()

    def test_lists_what_was_added_in_that_order(self):
        self.samples.add({"caption": "One sample"})
        self.samples.add({"caption": "Another sample"})
        self.assertEqual([sample["caption"] for sample in self.samples.all()], ["One sample", "Another sample"])

    def test_refuses_an_empty_caption(self):
        for values in ({"caption": "  "}, {}):
            with self.assertRaisesRegex(ValueError, "caption"):
                self.samples.add(values)

    def test_notes_every_field_each_as_what_it_is(self):
        good = {"text": "Good", "number": "7", "date": "2026-12-31"}
        values = {name: good[kind] for name, kind in FIELDS.items()}
        sample = self.samples.add(values)
        for name, kind in FIELDS.items():
            self.assertEqual(str(sample[name]), good[kind])
            self.assertIn(good[kind], describe(sample))
            if kind != "text":
                with self.assertRaisesRegex(ValueError, name):
                    self.samples.add({**values, name: "soon"})

    def test_changes_what_is_named_and_leaves_the_rest(self):
        id = self.samples.add({"caption": "One sample"})["id"]
        self.assertEqual(self.samples.change(id, {"caption": "Another sample"})["caption"], "Another sample")
        self.assertEqual(self.samples.change(id, {})["caption"], "Another sample")
        self.assertIsNone(self.samples.change("nothing", {"caption": "One sample"}))

    def test_flags_one_and_leaves_the_others_alone(self):
        one = self.samples.add({"caption": "One sample"})
        other = self.samples.add({"caption": "Another sample"})
        self.assertEqual(self.samples.flag(one["id"])["flagged"], True)
        self.assertEqual(self.samples.get(other["id"])["flagged"], False)
        self.assertIsNone(self.samples.flag("nothing"))

    def test_removes_each_once(self):
        id = self.samples.add({"caption": "One sample"})["id"]
        self.assertNotEqual(summary(self.samples.all()), summary([]))
        self.assertTrue(self.samples.remove(id))
        self.assertFalse(self.samples.remove(id))
        self.assertEqual(self.samples.all(), [])

    def test_goes_on_where_a_saved_list_ended(self):
        self.samples.add({"caption": "One sample"})
        after = Samples(self.samples.all())
        after.add({"caption": "Another sample"})
        self.assertEqual(len({sample["id"] for sample in after.all()}), 2)

    def test_begins_a_new_list_with_its_starters(self):
        self.assertEqual([sample["caption"] for sample in new_samples().all()], STARTERS)


if __name__ == "__main__":
    unittest.main()
