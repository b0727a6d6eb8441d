import { addressesIn, addressesToRead } from "@switchyard/core/work/pages/addresses"
import { pageText } from "@switchyard/core/work/pages/page-text"
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

  it("is cut where it is long, and made in moderate time of what is hostile", async () => {
    expect((await page("x".repeat(100_000), "text/plain")).text).toHaveLength(16_000)
    await page(`<title>${"<".repeat(50_000)}`)
    await page("<main>".repeat(20_000)).catch(() => {})
  })
})
