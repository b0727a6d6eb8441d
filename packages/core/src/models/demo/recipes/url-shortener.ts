import { collectionRecipe } from "../collections/recipe.ts"
import type { Routes } from "../collections/server.ts"
import { jsonOverHttp, pythonJsonMethods, pythonMain, pythonServerTest, startApp } from "../http.ts"
import type { ModuleSource } from "../module.ts"
import { quoted, source } from "../source.ts"

const scriptLinks: ModuleSource = {
  exports: ["createLinks"],
  module: source`
    ‹export interface Link {
      /** The short code that stands for the URL. */
      id: string
      url: string
      visits: number
      createdAt: string
    }

    export type Links = ReturnType<typeof createLinks>

    ›/** Letters and digits that nobody confuses when reading a link aloud: no i, l, o or 0. */
    const alphabet = "abcdefghjkmnpqrstuvwxyz123456789"

    /** Short links in memory. It begins with those that an earlier \`list()\` gave. */
    export function createLinks(saved‹: Link[]› = []) {
      const links = new Map(saved.map((link) => [link.id, link]))

      return {
        list()‹: Link[]› {
          return [...links.values()]
        },

        get(id‹: string›)‹: Link | undefined› {
          return links.get(id)
        },

        /** The link for a URL; the same URL always gets the same one. */
        add(text‹: string›)‹: Link› {
          const url = webAddress(text)
          const known = [...links.values()].find((link) => link.url === url)
          if (known) return known

          const link = { id: freeCode(), url, visits: 0, createdAt: new Date().toISOString() }
          links.set(link.id, link)
          return link
        },

        /** Counts a visit and says where to go. */
        visit(id‹: string›)‹: Link | undefined› {
          const link = links.get(id)
          if (link) link.visits += 1
          return link
        },

        remove(id‹: string›)‹: boolean› {
          return links.delete(id)
        },
      }

      function freeCode()‹: string› {
        const code = randomCode(6)
        return links.has(code) ? freeCode() : code
      }
    }

    /** Only web addresses: a short link must never hide a script or a file. */
    function webAddress(text‹: string›)‹: string› {
      const url = URL.canParse(text) ? new URL(text) : undefined
      if (url?.protocol !== "http:" && url?.protocol !== "https:") {
        throw new Error("Give a full URL that starts with http:// or https://.")
      }
      return url.href
    }

    function randomCode(length‹: number›)‹: string› {
      const bytes = crypto.getRandomValues(new Uint8Array(length))
      return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join("")
    }
  `,
  tests: source`
    test("gives a URL a short code", () => {
      const links = createLinks()
      const link = links.add("https://example.com/a/long/path?with=query")
      assert.match(link.id, /^[a-z1-9]{6}$/)
      assert.equal(links.get(link.id)?.url, "https://example.com/a/long/path?with=query")
    })

    test("gives the same URL the same code", () => {
      const links = createLinks()
      assert.equal(links.add("https://example.com").id, links.add("https://example.com/").id)
      assert.equal(links.list().length, 1)
    })

    test("refuses what is no web address", () => {
      for (const url of ["", "example", "javascript:alert(1)", "file:///etc/hosts"]) {
        assert.throws(() => createLinks().add(url), /full URL/)
      }
    })

    test("counts visits", () => {
      const links = createLinks()
      const { id } = links.add("https://example.com")
      links.visit(id)
      assert.equal(links.visit(id)?.visits, 2)
      assert.equal(links.visit("nothing"), undefined)
    })

    test("removes each once, and goes on where a saved list ended", () => {
      const before = createLinks()
      const { id } = before.add("https://example.com")
      const after = createLinks(before.list())
      assert.equal(after.get(id)?.url, "https://example.com/")
      assert.deepEqual([after.remove(id), after.remove(id)], [true, false])
    })
  `,
}

const pythonLinks: ModuleSource = {
  exports: ["Links"],
  module: source`
    """Short links in memory."""

    import secrets
    from dataclasses import dataclass, field
    from datetime import datetime, timezone
    from urllib.parse import urlsplit

    # Letters and digits that nobody confuses when reading a link aloud: no i, l, o or 0.
    ALPHABET = "abcdefghjkmnpqrstuvwxyz123456789"


    def now():
        return datetime.now(timezone.utc).isoformat(timespec="seconds")


    @dataclass
    class Link:
        id: str  # the short code that stands for the URL
        url: str
        visits: int = 0
        created_at: str = field(default_factory=now)


    class Links:
        """Short links. It begins with those that an earlier \`\`all()\`\` gave."""

        def __init__(self, saved=()):
            self._by_id = {link.id: link for link in saved}

        def all(self):
            return list(self._by_id.values())

        def get(self, id):
            return self._by_id.get(id)

        def add(self, text):
            """The link for a URL; the same URL always gets the same one."""
            url = web_address(text)
            for link in self._by_id.values():
                if link.url == url:
                    return link
            link = Link(self._free_code(), url)
            self._by_id[link.id] = link
            return link

        def visit(self, id):
            """Counts a visit and says where to go."""
            link = self._by_id.get(id)
            if link:
                link.visits += 1
            return link

        def remove(self, id):
            return self._by_id.pop(id, None) is not None

        def _free_code(self):
            while True:
                code = "".join(secrets.choice(ALPHABET) for _ in range(6))
                if code not in self._by_id:
                    return code


    def web_address(text):
        """Only web addresses: a short link must never hide a script or a file, nor break out of a header."""
        url = text.strip()
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or not (url.isascii() and url.isprintable()):
            raise ValueError("Give a full URL that starts with http:// or https://.")
        return url
  `,
  tests: source`
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
  `,
}

const routes: Routes = {
  feature: "POST /links makes a short link; GET /<code> redirects and counts the visit",
  calls: source`
    curl http://localhost:3000/links -d '{"url": "https://example.com/a/long/path"}'
    curl http://localhost:3000/links
    curl -i http://localhost:3000/<code>
  `,
  app: (name) => source`
    import { createServer‹, type IncomingMessage, type ServerResponse› } from "node:http"
    import { createLinks‹, type Link› } from "./links.ts"

    const maxBodyLength = 100_000

    /**
     * POST /links      {"url": "https://..."} makes a short link
     * GET /links       lists them, with their visits
     * GET /<code>      redirects to the URL
     * DELETE /<code>   forgets the link
     */
    export function createApp(links = createLinks()) {
      return createServer(async (request, response) => {
        try {
          await answer(request, response)
        } catch (error) {
          sendJson(response, 400, { error: error instanceof Error ? error.message : "Bad request." })
        }
      })

      async function answer(request‹: IncomingMessage›, response‹: ServerResponse›) {
        const { pathname } = new URL(request.url ?? "/", "http://localhost")
        const code = pathname.slice(1)

        switch (\`\${request.method} \${pathname}\`) {
          case "GET /":
            return sendJson(response, 200, { name: ${quoted(name)}, try: "POST /links" })
          case "GET /links":
            return sendJson(response, 200, links.list())
          case "POST /links":
            return sendJson(response, 201, withAddress(links.add(await readUrl(request)), request))
          case \`GET /\${code}\`:
            return redirect(response, links.visit(code)?.url)
          case \`DELETE /\${code}\`:
            return links.remove(code) ? sendJson(response, 200, { removed: code }) : notFound(response)
          default:
            return notFound(response)
        }
      }
    }

    /** A link with its short address, on the host that was asked. */
    function withAddress(link‹: Link›, request‹: IncomingMessage›) {
      return { ...link, short: \`http://\${request.headers.host}/\${link.id}\` }
    }

    function redirect(response‹: ServerResponse›, url‹: string | undefined›) {
      if (url === undefined) return notFound(response)
      response.writeHead(302, { location: url }).end()
    }

    function notFound(response‹: ServerResponse›) {
      sendJson(response, 404, { error: "There is no such link." })
    }

    async function readUrl(request‹: IncomingMessage›)‹: Promise<string>› {
      const { url } = await readJson(request)
      if (typeof url !== "string") throw new Error("Send url as text.")
      return url
    }

    ${jsonOverHttp}
  `,
  appTest: source`
    import assert from "node:assert/strict"
    import { once } from "node:events"
    ‹import type { AddressInfo } from "node:net"
    ›import { after, test } from "node:test"
    import { createApp } from "./app.ts"

    ${startApp}

    function shorten(body‹: unknown›) {
      return fetch(\`\${url}/links\`, { method: "POST", body: JSON.stringify(body) })
    }

    test("shortens a URL and redirects to it", async () => {
      const created = await shorten({ url: "https://example.com/a/long/path" })
      assert.equal(created.status, 201)
      const { short } = ‹(›await created.json()‹) as { short: string }›

      const response = await fetch(short, { redirect: "manual" })
      assert.equal(response.status, 302)
      assert.equal(response.headers.get("location"), "https://example.com/a/long/path")
    })

    test("lists its links with their visits, and forgets them", async () => {
      const { id } = ‹(›await (await shorten({ url: "https://example.com/listed" })).json()‹) as { id: string }›
      await fetch(\`\${url}/\${id}\`, { redirect: "manual" })

      const list = ‹(›await (await fetch(\`\${url}/links\`)).json()‹) as { id: string; visits: number }[]›
      assert.equal(list.find((link) => link.id === id)?.visits, 1)

      assert.equal((await fetch(\`\${url}/\${id}\`, { method: "DELETE" })).status, 200)
      assert.equal((await fetch(\`\${url}/\${id}\`, { redirect: "manual" })).status, 404)
    })

    test("says what is wrong with a request", async () => {
      assert.equal((await shorten({ url: "javascript:alert(1)" })).status, 400)
      assert.equal((await shorten({})).status, 400)
      assert.equal((await fetch(\`\${url}/nothing\`)).status, 404)
    })
  `,
  python: (name) => source`
    """A URL shortener over HTTP.

    POST /links      {"url": "https://..."} makes a short link
    GET /links       lists them, with their visits
    GET /<code>      redirects to the URL
    DELETE /<code>   forgets the link
    """

    import json
    import os
    from dataclasses import asdict
    from http.server import BaseHTTPRequestHandler, HTTPServer

    from links import Links

    MAX_BODY_BYTES = 100_000


    def create_server(port):
        server = HTTPServer(("localhost", port), Handler)
        server.links = Links()
        return server


    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            links = self.server.links
            if self.path == "/":
                self.send_json(200, {"name": ${quoted(name)}, "try": "POST /links"})
            elif self.path == "/links":
                self.send_json(200, [asdict(link) for link in links.all()])
            elif link := links.visit(self.path[1:]):
                self.redirect(link.url)
            else:
                self.not_found()

        def do_POST(self):
            if self.path != "/links":
                return self.not_found()
            try:
                link = self.server.links.add(self.read_url())
            except ValueError as error:
                return self.send_json(400, {"error": str(error)})
            self.send_json(201, {**asdict(link), "short": f"http://{self.headers['Host']}/{link.id}"})

        def do_DELETE(self):
            code = self.path[1:]
            if self.server.links.remove(code):
                self.send_json(200, {"removed": code})
            else:
                self.not_found()

        def redirect(self, url):
            self.send_response(302)
            self.send_header("Location", url)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def not_found(self):
            self.send_json(404, {"error": "There is no such link."})

        def read_url(self):
            url = self.read_json().get("url")
            if not isinstance(url, str):
                raise ValueError("Send url as text.")
            return url

        ${pythonJsonMethods}


    ${pythonMain}
  `,
  pythonTest: source`
    import http.client
    import json
    import threading
    import unittest

    from server import create_server


    class ServerTest(unittest.TestCase):
        ${pythonServerTest}

        def location(self, path):
            """Where a short link leads."""
            connection = http.client.HTTPConnection("localhost", self.server.server_port)
            self.addCleanup(connection.close)
            connection.request("GET", path)
            return connection.getresponse().getheader("Location")

        def test_shortens_a_url_and_redirects_to_it(self):
            status, link = self.call("POST", "/links", {"url": "https://example.com/a/long/path"})
            self.assertEqual(status, 201)
            self.assertTrue(link["short"].endswith(f"/{link['id']}"))
            self.assertEqual(self.location(f"/{link['id']}"), "https://example.com/a/long/path")

        def test_lists_its_links_with_their_visits_and_forgets_them(self):
            _, link = self.call("POST", "/links", {"url": "https://example.com/listed"})
            self.location(f"/{link['id']}")
            visits = {known["id"]: known["visits"] for known in self.call("GET", "/links")[1]}
            self.assertEqual(visits[link["id"]], 1)
            self.assertEqual(self.call("DELETE", f"/{link['id']}")[0], 200)
            self.assertIsNone(self.location(f"/{link['id']}"))

        def test_says_what_is_wrong_with_a_request(self):
            self.assertEqual(self.call("POST", "/links", {"url": "javascript:alert(1)"})[0], 400)
            self.assertEqual(self.call("POST", "/links", {})[0], 400)
            self.assertEqual(self.call("GET", "/nothing")[0], 404)


    if __name__ == "__main__":
        unittest.main()
  `,
}

export const urlShortener = collectionRecipe({
  title: "URL Shortener",
  words: /\b(urls?|links?)[- ]?short\w*|\bshort(en|ens|ener|ening)?[- ](urls?|links?)\b|\btiny ?urls?\b/i,
  kind: "server",
  summary: "Turns long URLs into short links, follows them, and counts their visits.",
  noun: "link",
  plural: "links",
  field: "url",
  examples: ["https://example.com/a/long/path", "https://example.org/another"],
  mark: { verb: "visit", field: "visits", kind: "count" },
  store: { script: scriptLinks, python: pythonLinks },
  routes,
  linked: true,
})
