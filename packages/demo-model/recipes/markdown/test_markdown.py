import unittest

from markdown import render_markdown


class MarkdownTest(unittest.TestCase):
    def test_renders_headings_and_paragraphs(self):
        self.assertEqual(render_markdown("# Title\n\nOne\ntwo"), "<h1>Title</h1>\n<p>One\ntwo</p>")
        self.assertEqual(render_markdown("### Third"), "<h3>Third</h3>")

    def test_renders_lists_and_quotes(self):
        self.assertEqual(render_markdown("- a\n- b"), "<ul><li>a</li><li>b</li></ul>")
        self.assertEqual(render_markdown("1. a\n2. b"), "<ol><li>a</li><li>b</li></ol>")
        self.assertEqual(render_markdown("> said"), "<blockquote>said</blockquote>")

    def test_renders_emphasis_code_and_links(self):
        self.assertEqual(render_markdown("*a* **b**"), "<p><em>a</em> <strong>b</strong></p>")
        self.assertEqual(render_markdown("`*a*`"), "<p><code>*a*</code></p>")
        self.assertEqual(render_markdown("[b](https://a.org)"), '<p><a href="https://a.org">b</a></p>')

    def test_keeps_code_blocks_as_they_are(self):
        html = render_markdown("```js\n# no\n\n<b>\n```")
        self.assertEqual(html, "<pre><code># no\n\n&lt;b&gt;</code></pre>")

    def test_lets_no_html_and_no_script_through(self):
        self.assertEqual(render_markdown("<b>"), "<p>&lt;b&gt;</p>")
        self.assertNotIn("href", render_markdown("[x](javascript:alert(1))"))
        self.assertNotIn('"onclick', render_markdown('[x](https://a.org/"onclick="y)'))


if __name__ == "__main__":
    unittest.main()
