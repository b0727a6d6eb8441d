import { source } from "../source.ts"
import { toolRecipe } from "../tools/recipe.ts"

export const markdown = toolRecipe({
  title: "Markdown Renderer",
  words: /\bmarkdown\b/i,
  kind: "library",
  summary: "Turns Markdown into safe HTML.",
  features: [
    "Headings, lists, quotes, code, emphasis and links",
    "Escapes everything else, so no text can smuggle HTML in",
  ],
  module: "markdown",
  call: { script: "renderMarkdown", python: "render_markdown" },
  input: { name: "text", label: "Markdown", rows: 8 },
  route: "render",
  shows: "html",
  example: { input: "# Hello\n\nSome *quiet* words.", result: "<h1>Hello</h1>\n<p>Some <em>quiet</em> words.</p>" },
  script: {
    exports: ["renderMarkdown"],
    module: source`
      /** Markdown as HTML. Whatever is not Markdown is escaped, and links lead only to web and mail addresses. */
      export function renderMarkdown(text‹: string›)‹: string› {
        const blocks = text.replaceAll("\r", "").match(/^\`\`\`[\s\S]*?^\`\`\`|(?:^(?!\`\`\`).*\S.*\n?)+/gm) ?? []
        return blocks.map((block) => renderBlock(block.trimEnd())).join("\n")
      }

      function renderBlock(block‹: string›)‹: string› {
        if (block.startsWith("\`\`\`")) return \`<pre><code>\${escaped(block.split("\n").slice(1, -1).join("\n"))}</code></pre>\`

        const lines = block.split("\n")
        const heading = block.match(/^(#{1,6}) +(.+)/)
        if (heading && lines.length === 1) {
          const [, marks = "", title = ""] = heading
          return \`<h\${marks.length}>\${renderInline(title)}</h\${marks.length}>\`
        }
        if (lines.every((line) => /^[-*] /.test(line))) return renderList("ul", lines, /^[-*] /)
        if (lines.every((line) => /^\d+\. /.test(line))) return renderList("ol", lines, /^\d+\. /)
        if (lines.every((line) => line.startsWith(">"))) {
          return \`<blockquote>\${renderInline(lines.map((line) => line.slice(1).trim()).join("\n"))}</blockquote>\`
        }
        return \`<p>\${renderInline(block)}</p>\`
      }

      function renderList(tag‹: string›, lines‹: string[]›, mark‹: RegExp›)‹: string› {
        const items = lines.map((line) => \`<li>\${renderInline(line.replace(mark, ""))}</li>\`)
        return \`<\${tag}>\${items.join("")}</\${tag}>\`
      }

      /** Code comes out first, for what stands in it means nothing else. */
      function renderInline(text‹: string›)‹: string› {
        return text
          .split(/(\`[^\`]+\`)/)
          .map((part, index) => (index % 2 === 1 ? \`<code>\${escaped(part.slice(1, -1))}</code>\` : renderWords(part)))
          .join("")
      }

      function renderWords(text‹: string›)‹: string› {
        return escaped(text)
          .replace(/\[([^\]]+)\]\(((?:https?:\/\/|mailto:)[^)\s]+)\)/g, '<a href="$2">$1</a>')
          .replace(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>")
          .replace(/\*([^*]+)\*/g, "<em>$1</em>")
      }

      function escaped(text‹: string›)‹: string› {
        return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")
      }
    `,
    tests: source`
      test("renders headings and paragraphs", () => {
        assert.equal(renderMarkdown("# Title\n\nOne\ntwo"), "<h1>Title</h1>\n<p>One\ntwo</p>")
        assert.equal(renderMarkdown("### Third"), "<h3>Third</h3>")
      })

      test("renders lists and quotes", () => {
        assert.equal(renderMarkdown("- a\n- b"), "<ul><li>a</li><li>b</li></ul>")
        assert.equal(renderMarkdown("1. a\n2. b"), "<ol><li>a</li><li>b</li></ol>")
        assert.equal(renderMarkdown("> said"), "<blockquote>said</blockquote>")
      })

      test("renders emphasis, code and links", () => {
        assert.equal(renderMarkdown("*a* **b**"), "<p><em>a</em> <strong>b</strong></p>")
        assert.equal(renderMarkdown("\`*a*\`"), "<p><code>*a*</code></p>")
        assert.equal(renderMarkdown("[b](https://a.org)"), '<p><a href="https://a.org">b</a></p>')
      })

      test("keeps code blocks as they are", () => {
        assert.equal(renderMarkdown("\`\`\`js\n# no\n\n<b>\n\`\`\`"), "<pre><code># no\n\n&lt;b&gt;</code></pre>")
      })

      test("lets no HTML and no script through", () => {
        assert.equal(renderMarkdown("<b>"), "<p>&lt;b&gt;</p>")
        assert.doesNotMatch(renderMarkdown("[x](javascript:alert(1))"), /href/)
        assert.doesNotMatch(renderMarkdown('[x](https://a.org/"onclick="y)'), /"onclick/)
      })
    `,
  },
  python: {
    exports: ["render_markdown"],
    module: source`
      """Markdown as HTML."""

      import re
      from html import escape


      def render_markdown(text):
          """Whatever is not Markdown is escaped, and links lead only to web and mail addresses."""
          pattern = r"(?m)^\`\`\`[\s\S]*?^\`\`\`|(?:^(?!\`\`\`).*\S.*\n?)+"
          blocks = re.findall(pattern, text.replace("\r", ""))
          return "\n".join(render_block(block.rstrip()) for block in blocks)


      def render_block(block):
          lines = block.split("\n")
          if block.startswith("\`\`\`"):
              code = "\n".join(lines[1:-1])
              return f"<pre><code>{escape(code)}</code></pre>"
          heading = re.fullmatch(r"(#{1,6}) +(.+)", block)
          if heading:
              level = len(heading[1])
              return f"<h{level}>{render_inline(heading[2])}</h{level}>"
          if all(re.match(r"[-*] ", line) for line in lines):
              return render_list("ul", lines)
          if all(re.match(r"\d+\. ", line) for line in lines):
              return render_list("ol", lines)
          if all(line.startswith(">") for line in lines):
              quote = "\n".join(line[1:].strip() for line in lines)
              return f"<blockquote>{render_inline(quote)}</blockquote>"
          return f"<p>{render_inline(block)}</p>"


      def render_list(tag, lines):
          items = (line.split(" ", 1)[1] for line in lines)
          return f"<{tag}>{''.join(f'<li>{render_inline(item)}</li>' for item in items)}</{tag}>"


      def render_inline(text):
          """Code comes out first, for what stands in it means nothing else."""
          parts = re.split(r"\`([^\`]+)\`", text)
          parts[0::2] = [render_words(part) for part in parts[0::2]]
          parts[1::2] = [f"<code>{escape(part)}</code>" for part in parts[1::2]]
          return "".join(parts)


      def render_words(text):
          text = escape(text)
          text = re.sub(r"\[([^\]]+)\]\(((?:https?://|mailto:)[^)\s]+)\)", r'<a href="\2">\1</a>', text)
          text = re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", text)
          return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", text)
    `,
    tests: source`
      def test_renders_headings_and_paragraphs(self):
          self.assertEqual(render_markdown("# Title\n\nOne\ntwo"), "<h1>Title</h1>\n<p>One\ntwo</p>")
          self.assertEqual(render_markdown("### Third"), "<h3>Third</h3>")

      def test_renders_lists_and_quotes(self):
          self.assertEqual(render_markdown("- a\n- b"), "<ul><li>a</li><li>b</li></ul>")
          self.assertEqual(render_markdown("1. a\n2. b"), "<ol><li>a</li><li>b</li></ol>")
          self.assertEqual(render_markdown("> said"), "<blockquote>said</blockquote>")

      def test_renders_emphasis_code_and_links(self):
          self.assertEqual(render_markdown("*a* **b**"), "<p><em>a</em> <strong>b</strong></p>")
          self.assertEqual(render_markdown("\`*a*\`"), "<p><code>*a*</code></p>")
          self.assertEqual(render_markdown("[b](https://a.org)"), '<p><a href="https://a.org">b</a></p>')

      def test_keeps_code_blocks_as_they_are(self):
          html = render_markdown("\`\`\`js\n# no\n\n<b>\n\`\`\`")
          self.assertEqual(html, "<pre><code># no\n\n&lt;b&gt;</code></pre>")

      def test_lets_no_html_and_no_script_through(self):
          self.assertEqual(render_markdown("<b>"), "<p>&lt;b&gt;</p>")
          self.assertNotIn("href", render_markdown("[x](javascript:alert(1))"))
          self.assertNotIn('"onclick', render_markdown('[x](https://a.org/"onclick="y)'))
    `,
  },
})
