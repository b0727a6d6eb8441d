import { createElement } from "react"
import { renderToStaticMarkup } from "react-dom/server"
import { describe, expect, it } from "vitest"
import { Markdown } from "../../../../packages/web/src/ui/markdown/markdown.tsx"

describe("a text in Markdown", () => {
  const drawn = (text: string) => {
    const html = renderToStaticMarkup(createElement(Markdown, { text }))
    return html.replaceAll(/ (class|target|rel|tabindex)="[^"]*"/gi, "").replace(/^<div>(.*)<\/div>$/s, "$1")
  }

  it.each([
    ["paragraphs and lines", "a\nb  \nc\n\nd", "<p>a<br/>b<br/>c</p><p>d</p>"],
    ["emphasis", "**a _b_** ~~c~~ `d`", "<p><strong>a <em>b</em></strong> <del>c</del> <code>d</code></p>"],
    ["headings", "# a\n### b", "<p>a</p><p>b</p>"],
    ["lists", "- a\n  1. b\n- c", '<ul><li>a<ol start="1"><li>b</li></ol></li><li>c</li></ul>'],
    ["lists of paragraphs", "3. a\n\n4. b", '<ol start="3"><li><p>a</p></li><li><p>b</p></li></ol>'],
    ["tasks", "- [x] a\n- [ ] b", "<ul><li>☑ a</li><li>☐ b</li></ul>"],
    ["quotations and rules", "> a\n\n---", "<blockquote><p>a</p></blockquote><hr/>"],
    [
      "tables",
      "|a|b|\n|-|-|\n|c|d|",
      "<div><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>c</td><td>d</td></tr></tbody></table></div>",
    ],
    [
      "links",
      "[a](https://b.example) <https://c.example>",
      '<p><a href="https://b.example">a</a> <a href="https://c.example">https://c.example</a></p>',
    ],
    [
      "addresses",
      "(See https://a.example/b_(c)_d, [https://e.example](/f).)",
      '<p>(See <a href="https://a.example/b_(c)_d">https://a.example/b_(c)_d</a>, https://e.example.)</p>',
    ],
    ["pictures as links", "![a](https://b.example/c.png)", '<p><a href="https://b.example/c.png">a</a></p>'],
    [
      "HTML as text",
      "<b>a</b>\n\n<script>b</script>",
      "<p>&lt;b&gt;a&lt;/b&gt;</p><p>&lt;script&gt;b&lt;/script&gt;</p>",
    ],
    ["addresses of scripts as text", "[a](javascript:b)", "<p>[a](javascript:b)</p>"],
    ["definitions of links", "[a][b]\n\n[b]: https://c.example", '<p><a href="https://c.example">a</a></p>'],
  ])("has %s", (_, text, expected) => expect(drawn(text)).toBe(expected))

  it("has code with its language", () => {
    expect(drawn("```ts\nlet a\n```")).toContain('<pre><code data-language="ts">let a</code></pre>')
  })

  it("is drawn however deep it is nested", () => {
    expect(drawn(`${"> ".repeat(1000)}a`)).toContain("<blockquote>")
    expect(drawn(`${"*a ".repeat(1000)}${"b* ".repeat(1000)}`)).toContain("<em>")
  })
})
