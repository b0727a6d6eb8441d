import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { createHostPolicy, type ResolveHost } from "@switchyard/core/network/host-policy"
import { type Ask, createFetchPage } from "@switchyard/core/work/pages/fetch-page"
import { describe, expect, it } from "vitest"

const signal = new AbortController().signal
const PUBLIC = "93.184.216.34"

/** The attacker's host names and their addresses. */
const names: Record<string, string[]> = {
  "public.example": [PUBLIC],
  "loopback.example": ["127.0.0.1"],
  "private.example": ["10.1.2.3"],
  "metadata.example": ["169.254.169.254"],
  "mixed.example": [PUBLIC, "192.168.0.1"],
  "six.example": ["::1"],
  "mapped.example": ["::ffff:10.0.0.1"],
  localhost: ["127.0.0.1", "::1"],
  "metadata.google.internal": ["169.254.169.254"],
}
const resolve: ResolveHost = async (host) => {
  const isAddress = /^[\d.]+$/.test(host) || host.includes(":")
  const addresses = isAddress ? [host] : (names[host] ?? [])
  return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
}

const REFUSED = [
  ...["127.0.0.1", "127.1", "127.255.255.254", "0.0.0.0", "0", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1"],
  ...["017700000001", "127.0.0.1.", "10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1"],
  ...[
    "192.168.255.255",
    "169.254.169.254",
    "169.254.170.2",
    "0xa9fea9fe",
    "2852039166",
    "100.64.0.1",
    "100.100.100.200",
  ],
  ...[
    "192.0.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
  ],
  ...["255.255.255.255", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[fe80::1]"],
  ...[
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[fec0::1]",
    "[ff02::1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "[2001:db8::1]",
  ],
  ...[
    "[2001::1]",
    "[::ffff:169.254.169.254]",
    "[::ffff:0:127.0.0.1]",
    "[100::1]",
    "localhost",
    "LOCALHOST",
    "localhost.",
  ],
  ...["loopback.example", "private.example", "metadata.example", "mixed.example", "six.example", "mapped.example"],
  ...["metadata.google.internal", "nobody.example", "127.0.0.1:6379", "[::1]:8080", "①②⑦.⓪.⓪.①", "127。0。0。1"],
  // Spellings that are an IPv4 address only after normalization.
  ...[
    "0x7F.0X0.0.0x1",
    "0300.0250.1",
    "127.0.1",
    "127.000.000.001",
    "0x0a000001",
    "１０.0.0.1",
    "%31%32%37.0.0.1",
    "1%32%37.1",
  ],
  ...["0251.0376.0251.0376", "169.16689662", "0xa9.254.0xa9fe", "192.168.1.1.", "0x.0x.0", "192。168。0。1:443"],
  // Ends of address ranges, and metadata servers of other clouds.
  ...[
    "0.255.255.255",
    "100.127.255.255",
    "198.19.255.255",
    "172.16.0.1:80",
    "192.88.99.1",
    "169.254.0.23",
    "192.0.0.192",
  ],
  ...[
    "metadata.google.internal.",
    "METADATA.google.internal",
    "metadata.goog",
    "instance-data.ec2.internal",
    "kubernetes.default.svc",
  ],
  // IPv6 addresses that embed IPv4 addresses: mapped, translated (also with a custom prefix) or tunneled.
  ...[
    "[::ffff:0:a00:1]",
    "[0:0:0:0:0:ffff:a9fe:a9fe]",
    "[::FFFF:192.168.0.1]",
    "[64:ff9b::169.254.169.254]",
    "[64:ff9b::a00:1]",
  ],
  ...[
    "[64:ff9b:1::a00:1]",
    "[64:ff9b:1:ffff::7f00:1]",
    "[2002:a00:1::]",
    "[2002:a9fe:a9fe::1]",
    "[2002:c0a8:1::]",
    "[::a9fe:a9fe]",
  ],
  ...[
    "[2001:0:7f00:1::]",
    "[2001:20::1]",
    "[2001:10::1]",
    "[3fff::1]",
    "[5f00::1]",
    "[fe80::1]:80",
    "[febf::1]",
    "[ff0e::1]",
  ],
  ...["[fd20:ce::254]", "[0000:0000:0000:0000:0000:0000:0000:0001]", "[4000::1]", "[::2]"],
  // Names that lead to another host than they seem to.
  ...[
    "xn--loopback.example",
    "loopback.example.",
    "LOOPBACK.example",
    "loopback.example:443",
    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
    "loc\u00adalhost",
  ],
  ...["127.0.0.1\\@public.example", "127.0.0.1#@public.example", "127.0.0.1?@public.example"],
]

/** Serves these pages by URL and records the requested URLs. */
function newNet(pages: Record<string, { status?: number; location?: string; type?: string; body?: string }>) {
  const asked: string[] = []
  const ask: Ask = async (url) => {
    asked.push(url.href)
    const { status = 200, location, type = "text/plain", body = "Hello" } = pages[url.href] ?? { status: 404 }
    async function* bytes() {
      yield Buffer.from(body)
    }
    return { status, headers: { location, "content-type": type }, body: bytes() }
  }
  return { asked, fetchPage: createFetchPage({ hosts: createHostPolicy([], resolve), ask }) }
}

const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => "fetched",
    (error) => error.message as string,
  )

describe("a page that a message names", () => {
  it.each(REFUSED)("is not asked for at %s", async (host) => {
    const { asked, fetchPage } = newNet({})
    const message = await refusal(fetchPage(`http://${host}/`, { signal }))
    expect([message.includes("Nothing was found"), asked]).toEqual([true, []])
  })

  it.each([
    ...["file:///etc/passwd", "ftp://public.example/", "gopher://public.example/", "data:text/plain,a", "javascript:1"],
    ...["http://user:secret@public.example/", "//public.example", "public.example", "http://", "http://[::1"],
    ...[
      "http://public.example@127.0.0.1/",
      "http://127.0.0.1@public.example/",
      "http://:@@127.0.0.1/",
      "http://%00@[::1]/",
    ],
    ...[
      "http://[fe80::1%25eth0]/",
      "http://[fe80::1%eth0]/",
      "http://[::1%lo]/",
      "http://[::ffff:127.0.0.1.]/",
      "http://256.0.0.1/",
    ],
    ...["http://127.0.0.1:99999/", "http://127.0.0.0.1/", "http://0x100000000/", "http://public.example%00.example/"],
    ...[
      "blob:http://public.example/1",
      "jar:http://public.example!/",
      "ws://public.example/",
      "dict://127.0.0.1:11211/",
    ],
    ...[
      "ldap://127.0.0.1/",
      "unix:/var/run/docker.sock",
      "http+unix://%2Fvar%2Frun%2Fdocker.sock/",
      "view-source:http://a/",
    ],
  ])("is not asked for as %s", async (url) => {
    const { asked, fetchPage } = newNet({})
    expect([await refusal(fetchPage(url, { signal })), asked]).toEqual([
      expect.stringMatching(
        /^Can't fetch this URL\. (?:Only http and https are supported|URLs with credentials aren't supported)\.$/,
      ),
      [],
    ])
  })

  it("is followed from one public address to another", async () => {
    const { fetchPage } = newNet({
      "http://public.example/": { status: 301, location: "https://public.example/a" },
      "https://public.example/a": { status: 302, location: "b?c" },
      "https://public.example/b?c": { body: "There" },
    })
    expect(await fetchPage("http://public.example", { signal })).toEqual({
      ...{ url: "https://public.example/b?c", mediaType: "text/plain", text: "There" },
    })
  })

  it.each([
    ...REFUSED.map((host) => `http://${host}/`),
    ...["file:///etc/passwd", "//metadata.example/latest", "https://127.0.0.1/", "\\\\127.0.0.1\\", "/\\10.0.0.1/"],
    ...["http:\\\\[::1]\\", " http://127.0.0.1/", "ht\ntp://127.0.0.1/", "//\t127.0.0.1/"],
    ...[
      "http://public.example@127.0.0.1/",
      "gopher://127.0.0.1:6379/_INFO",
      "data:text/plain,a",
      "ftp://public.example/",
    ],
  ])("is not followed to %s, at whatever step", async (location) => {
    const first = "http://public.example/"
    const second = "http://public.example/2"
    const { asked, fetchPage } = newNet({
      [first]: { status: 302, location: second },
      [second]: { status: 307, location },
    })
    expect(await refusal(fetchPage(first, { signal }))).not.toBe("fetched")
    expect(asked).toEqual([first, second])
  })

  it.each([
    ["http://public.example\\@127.0.0.1/", "http://public.example/@127.0.0.1/"],
    // After a URL of the same scheme, these are relative paths.
    ["http:127.0.0.1", "http://public.example/127.0.0.1"],
    ["http:/127.0.0.1/", "http://public.example/127.0.0.1/"],
  ])("is followed to %s where the connection goes: to the public host", async (location, url) => {
    const first = "http://public.example/"
    const { asked, fetchPage } = newNet({ [first]: { status: 302, location }, [url]: {} })
    await fetchPage(first, { signal })
    expect(asked).toEqual([first, url])
  })

  it.each(["http:127.0.0.1", "http:/127.0.0.1/", "http:\\\\127.0.0.1", "  http://127.0.0.1/\n"])(
    "is not asked for at %j, which begins no path",
    async (url) => {
      const { asked, fetchPage } = newNet({})
      expect([await refusal(fetchPage(url, { signal })), asked]).toEqual([expect.stringContaining("Nothing"), []])
    },
  )

  it("is given up after five redirects, where it is no text, and where it is an error", async () => {
    const loop = newNet({ "http://public.example/": { status: 302, location: "/" } })
    expect(await refusal(loop.fetchPage("http://public.example/", { signal }))).toContain("too many times")
    expect(loop.asked).toHaveLength(6)
    const { fetchPage } = newNet({ "http://public.example/": { type: "image/png" } })
    expect(await refusal(fetchPage("http://public.example/", { signal }))).toContain("isn't text")
    expect(await refusal(fetchPage("http://public.example/none", { signal }))).toContain("status 404")
    const large = newNet({ "http://public.example/": { body: "x".repeat(5 * 1024 * 1024 + 1) } })
    expect(await refusal(large.fetchPage("http://public.example/", { signal }))).toContain("5 MB")
  })

  it("is fetched from the address that was checked, though its name means another one by now", async () => {
    const server = createServer((request, response) => response.end(`for ${request.headers.host}`))
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    const { port } = server.address() as AddressInfo
    const answers = [["127.0.0.1"], ["127.0.0.1"], ["10.0.0.1"]]
    const rebinding: ResolveHost = async () => (answers.shift() ?? []).map((address) => ({ address, family: 4 }))
    const fetchPage = createFetchPage({ hosts: createHostPolicy(["127.0.0.1"], rebinding) })
    expect((await fetchPage(`http://rebind.example:${port}/`, { signal })).text).toBe(`for rebind.example:${port}`)
    expect(await refusal(fetchPage(`http://rebind.example:${port}/`, { signal }))).toContain("Nothing was found")
    server.close()
  })
})
