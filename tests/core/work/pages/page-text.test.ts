import { addressesIn, addressesToRead } from "@switchyard/core/work/pages/addresses"
import { pageText } from "@switchyard/core/work/pages/page-text"
import { plainHtml } from "@switchyard/core/work/pages/plain-html"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

describe("the addresses in a message", () => {
  it.each([
    ["See https://a.example/x, and (http://b.example/y?z=1).", ["https://a.example/x", "http://b.example/y?z=1"]],
    ["https://a.example https://a.example!", ["https://a.example"]],
    ["[docs](https://a.example/docs) and `https://b.example/`", ["https://a.example/docs", "https://b.example/"]],
    ["ftp://a.example file:///etc/passwd a.example https:// http://[", []],
  ])("are found in %s", (text, addresses) => {
    expect(addressesIn(text)).toEqual(addresses)
  })

  it("are read as far as they were not left out, three at most, and those that were chosen before them", () => {
    const content = [1, 2, 3, 4, 5].map((nth) => `https://${nth}.example`).join(" ")
    const excluded_urls = ["https://2.example"]
    expect(addressesToRead({ content, urls: ["https://9.example"], excluded_urls })).toEqual([
      ...["https://9.example", "https://1.example", "https://3.example", "https://4.example"],
    ])
  })
})

describe("the text of a page", () => {
  const page = (text: string, mediaType = "text/html") => pageText({ url: "https://a.example/docs", mediaType, text })

  it("is its main part as Markdown, without scripts, forms and the links of its site", async () => {
    const html = `<html><head><title>Leases &amp; locks</title><style>a{}</style></head><body><nav>Home</nav>
      <main><h1>Leases</h1><p>A <a href="/x">lease</a> is <b>renewed</b>.</p><pre><code>renew()</code></pre>
      <script>steal()</script><form>Subscribe</form></main><footer>Imprint</footer></body></html>`
    const { title, text } = await page(html)
    expect(title).toBe("Leases & locks")
    expect(text).toBe("# Leases\n\nA lease is **renewed**.\n\n```\nrenew()\n```")
  })

  it("is itself where it is no HTML, and named by its address where it has no title", async () => {
    expect(await page('{"a": 1}', "application/json")).toEqual({ title: "a.example/docs", text: '{"a": 1}' })
    expect((await page("<p>Hi</p>")).title).toBe("a.example")
  })

  it("keeps the language of code, and the text of what is nested too deeply to be worth its elements", async () => {
    expect((await page('<pre><code class="hljs language-ts">let a</code></pre>')).text).toBe("```ts\nlet a\n```")
    expect((await page(`${"<div>".repeat(200)}<b>deep</b>`)).text).toBe("deep")
    expect((await page("<svg><title>icon</title></svg><title>a &lt; b</title>1 &lt; 2")).title).toBe("a < b")
  })

  const bolds = Array.from({ length: 490 }, (_, index) => `<b id=${index}>`).join("")
  it.each([
    ["unclosed elements that a parser opens again in each paragraph", `${bolds}${"<p>x".repeat(240_000)}`],
    ["elements nested without end", "<div>".repeat(200_000)],
    ["ends of what was never begun", `${"<div>".repeat(490)}${"</x>".repeat(200_000)}`],
    ["a title that doesn't end", `<title>${"<".repeat(900_000)}`],
  ])("is made, in a time that grows with the page alone, of %s", async (_, html) => {
    expect((await page(html)).text.length).toBeLessThanOrEqual(16_000)
  })

  it("is cut where it is long", async () => {
    expect((await page("x".repeat(100_000), "text/plain")).text).toHaveLength(16_000)
    expect((await page(`<p>${"x".repeat(100_000)}`)).text).toHaveLength(16_000)
  })
})

describe("a page's HTML as far as it says something", () => {
  const piece = fc.constantFrom(
    ...[
      "<p>",
      "</p>",
      "<div a='</p>'>",
      "</div>",
      "<li>",
      "<table>",
      "<td>",
      "</table>",
      "<b>",
      "</b>",
      "<br/>",
      "</br>",
    ],
    ...[
      "<script>",
      "</script>",
      "<nav>",
      "</nav>",
      "<main>",
      "</main>",
      "<title>",
      "</title>",
      "<!--",
      "-->",
      "<a href=x>",
    ],
    ...[
      "x",
      "&lt;p>",
      "&amp;lt;",
      "<",
      "<x",
      "<x-y>",
      "</",
      "<svg>",
      "</svg>",
      "<select>",
      "<option>",
      "<code class=language-<p>>",
    ],
  )

  it("ends where it breaks off in the middle of a tag", () => {
    const inside = (name: string) => [{ start: name, language: "" }, { text: "x" }, { end: name }]
    expect(plainHtml("<p>x<nav>y<i class").body).toEqual(inside("p"))
    expect(plainHtml("<b>x<b class").body).toEqual(inside("b"))
  })

  it("closes what it opens, in order, whatever it is made of", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const open: string[] = []
        for (const part of plainHtml(pieces.join("")).body) {
          if ("end" in part) expect(open.pop()).toBe(part.end)
          if ("start" in part) open.push(part.start)
          if ("start" in part) expect(`${part.start} ${part.language}`).toMatch(/^[a-z0-9-]+ [\w+-]*$/)
        }
        expect(open).toEqual([])
      }),
    )
  })
})
