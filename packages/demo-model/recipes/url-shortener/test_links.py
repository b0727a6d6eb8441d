import unittest

from links import Links


class LinksTest(unittest.TestCase):
    def setUp(self):
        self.links = Links()

    def test_gives_a_url_a_short_code(self):
        link = self.links.add("https://example.com/a/long/path?with=query")
        self.assertRegex(link.id, "^[a-z1-9]{6}$")
        self.assertEqual(self.links.get(link.id).url, "https://example.com/a/long/path?with=query")

    def test_gives_the_same_url_the_same_code(self):
        self.assertEqual(self.links.add("https://example.com"), self.links.add(" https://example.com"))
        self.assertEqual(len(self.links.all()), 1)

    def test_refuses_what_is_no_web_address(self):
        for url in ["", "example", "javascript:alert(1)", "file:///etc/hosts", "https://a.org/\r\nX: y"]:
            with self.assertRaisesRegex(ValueError, "full URL"):
                self.links.add(url)

    def test_counts_visits(self):
        id = self.links.add("https://example.com").id
        self.links.visit(id)
        self.assertEqual(self.links.visit(id).visits, 2)
        self.assertIsNone(self.links.visit("nothing"))

    def test_removes_each_once_and_goes_on_where_a_saved_list_ended(self):
        id = self.links.add("https://example.com").id
        after = Links(self.links.all())
        self.assertEqual(after.get(id).url, "https://example.com")
        self.assertEqual([after.remove(id), after.remove(id)], [True, False])


if __name__ == "__main__":
    unittest.main()
