import { plainHtml } from "@switchyard/core/work/pages/plain-html"
import { plainMarkdown } from "@switchyard/core/work/pages/plain-markdown"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

describe("the Markdown of a page", () => {
  const markdown = (html: string, maxChars = 16_000) => plainMarkdown(plainHtml(html).body, maxChars)

  it.each([
    ["paragraphs", "<p>a\n  b</p>c<div>d</div>", "a b\n\nc\n\nd"],
    ["headings", "<h1>a <b>b</b></h1><h6>c</h6><h2></h2>d", "# a **b**\n\n###### c\n\nd"],
    ["emphasis", "a<b> b </b>c <i><b>d</b></i><s>e</s><em> </em>", "a **b** c _**d**_~~e~~"],
    ["emphasis that contains blocks", "<b>a<p>b</p></b>c", "**a**\n\n**b**\n\nc"],
    ["nested emphasis of one kind", "<b>a<strong>b</strong>c</b>", "**abc**"],
    ["lines", "a<br>b<hr>c", "a\nb\n\n---\n\nc"],
    ["lists", "<ul><li>a<ol><li>b</li><li>c</li></ol></li><li>d</li></ul>e", "- a\n  1. b\n  2. c\n- d\n\ne"],
    ["items of blocks", "<ol><li><p>a</p><p>b</p></li></ol>", "1. a\n\n   b"],
    ["quotations", "<blockquote><p>a</p><ul><li>b</li></ul></blockquote>c", "> a\n>\n> - b\n\nc"],
    ["code", "a <code>b`c</code> <code> </code>d", "a ``b`c`` d"],
    ["blocks of code", "<ul><li>a<pre>b\n\n ```c<br>d</pre></li></ul>", "- a\n\n  ````\n  b\n\n   ```c\n  d\n  ````"],
    ["code of a language", '<pre><code class="language-ts">let a\n</code></pre>', "```ts\nlet a\n```"],
    ["tables", "<table><tr><th>a</th><th>b</th></tr><tr><td><p>c</p></td><td>d</td></tr></table>", "a | b\nc | d"],
    ["definitions", "<dl><dt>a</dt><dd>b</dd></dl>", "a\nb"],
  ])("has %s", (_, html, expected) => {
    expect(markdown(html)).toBe(expected)
  })

  it("is no longer than its limit and a line, however deep its lines are indented", () => {
    const deep = "<ul><li>".repeat(50)
    const text = markdown(`${deep}a<pre>${"\nb".repeat(1000)}</pre>`, 2000)
    expect(text.length).toBeGreaterThan(1900)
    expect(text.length).toBeLessThan(2200)
  })

  it("keeps every word of a page, in order", () => {
    const name = fc.constantFrom(
      ...["p", "div", "b", "em", "ul", "ol", "li", "pre", "code", "blockquote", "table", "tr", "td", "h2"],
    )
    const html = fc.letrec<{ node: string }>((tie) => ({
      node: fc.oneof(
        { depthSize: "medium" },
        fc.constant("word "),
        fc
          .tuple(name, fc.array(tie("node"), { maxLength: 4 }))
          .map(([tag, nodes]) => `<${tag}>${nodes.join("")}</${tag}>`),
      ),
    })).node
    fc.assert(
      fc.property(fc.array(html, { maxLength: 6 }), (parts) => {
        let nth = 0
        const page = parts.join("").replaceAll("word", () => `word${nth++}`)
        const words = Array.from({ length: nth }, (_, index) => `word${index}`)
        expect(markdown(page, 100_000).match(/word\d+/g) ?? []).toEqual(words)
      }),
    )
  })
})
