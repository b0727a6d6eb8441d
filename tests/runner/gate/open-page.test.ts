import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { findBrowser } from "../../../packages/runner/src/gate/page-results.ts"
import { itDeep } from "../../depth.ts"
import { needs } from "../../needs.ts"

// `open-page.js` is plain JavaScript, so it has no types to import.
const file = new URL("../../../packages/runner/src/gate/open-page.js", import.meta.url).href
const { openPage }: OpenPage = await import(file)
interface OpenPage {
  openPage(
    url: string,
    about: { browser: string; profile: string },
  ): Promise<{ errors: string[]; faults: string[]; others: string[]; isEmpty: boolean; png?: Buffer } | undefined>
}

const browser = await findBrowser(process.env.PATH ?? "")
const needsBrowser = needs(browser === undefined ? "there is no Chromium on the path" : undefined)

const PAGES: Record<string, string> = {
  "/sound": "<h1>Hello</h1>",
  "/throws": "<h1>Hello</h1><script>nothing()</script>",
  "/redirects": "<script>location.href = '/throws'</script>",
  "/streams": "<h1>Hello</h1><img src='/never'>",
  "/empty-app": "<div id='app'></div><script type='module' src='/app.js'></script>",
  "/wrong-type": "<div id='app'></div><script type='module' src='/text'></script>",
  "/plain": "<link rel='stylesheet' href='/looks.css?v=1'><h1>Hello</h1>",
  "/fallback": "<link rel='stylesheet' href='/sound'><h1>Hello</h1>",
  "/dropped": "<script src='/dropped.js'></script>",
  "/refused": `<meta http-equiv="Content-Security-Policy" content="script-src 'self'"><script>start()</script>`,
  "/bare": "<link rel='icon' href='/icon.png'><img src='/photo.png'><script>fetch('/me')</script>",
  "/blank": "<div id='app'></div><script>const app = () => 'Hello'</script>",
  "/slow": "<div id='app'></div><script>setTimeout(() => { document.body.textContent = 'Hello' }, 1500)</script>",
  "/drawn": "<canvas></canvas><script>const app = () => 'Hello'</script>",
  "/loops": "<h1>Hello</h1><script>for (;;);</script>",
}
const server = createServer(({ url = "", socket }, response) => {
  // An unanswered request keeps its page loading.
  if (url === "/never") return
  if (url === "/dropped.js") return socket.destroy()
  if (url === "/text") return response.setHeader("content-type", "text/plain").end("start()")
  response.writeHead(PAGES[url] ? 200 : 404, { "content-type": "text/html" }).end(PAGES[url])
})
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "open-page-"))
  await once(server.listen(0, "127.0.0.1"), "listening")
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

const open = (path: string, by = browser ?? "") =>
  openPage(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, {
    browser: by,
    profile: join(folder, "profile"),
  })

/** Writes a browser that dies at its first `times` starts, and notes each start in a file. */
async function dyingBrowser(times: number) {
  const starts = join(folder, `starts-${times}`)
  const script = join(folder, `browser-${times}`)
  const dies = `echo >> ${starts}; [ $(wc -l < ${starts}) -gt ${times} ] || exit 1`
  await writeFile(script, `#!/bin/sh\n${dies}\nexec ${browser} "$@"\n`, { mode: 0o755 })
  return script
}

it("a browser that dies as it starts is started again", needsBrowser, async () => {
  const seen = await open("/throws", await dyingBrowser(1))
  expect(seen?.errors).toEqual([expect.stringContaining("nothing is not defined")])
})

it("a browser that dies twice has seen nothing", needsBrowser, async () => {
  expect(await open("/sound", await dyingBrowser(2))).toBeUndefined()
})

it("the page to which one leads is the one that is judged", needsBrowser, async () => {
  expect((await open("/redirects"))?.errors).toEqual([expect.stringContaining("nothing is not defined")])
})

it.each([
  ["/empty-app", "app.js is missing: the response had status 404"],
  ["/plain", "looks.css?v=1 is missing: the response had status 404"],
  ["/fallback", "sound is missing: the response was a page"],
  ["/wrong-type", /^Failed to load module script.* "text\/plain".* \(text\)$/],
  ["/dropped", "dropped.js can't be loaded: net::ERR_EMPTY_RESPONSE"],
  ["/refused", /^Executing inline script violates .* 'script-src 'self''/],
])("%s doesn't work, though nothing is thrown", needsBrowser, async (path, words) => {
  const seen = await open(path)
  expect(seen).toMatchObject({ errors: [], faults: [typeof words === "string" ? words : expect.stringMatching(words)] })
})

it("a page whose scripts draw nothing is empty, and one that draws late isn't", needsBrowser, async () => {
  expect(await open("/blank")).toMatchObject({ errors: [], faults: [], isEmpty: true })
  expect(await open("/drawn")).toMatchObject({ isEmpty: false })
  expect(await open("/slow")).toMatchObject({ isEmpty: false })
})

it("a page may lack its icon, pictures and what it asks for itself", needsBrowser, async () => {
  expect(await open("/bare")).toMatchObject({ errors: [], faults: [], others: [], isEmpty: false })
})

itDeep("a page that goes on loading is taken as it stands", needsBrowser, async () => {
  expect(await open("/streams")).toMatchObject({ errors: [], png: expect.any(Buffer) })
})

itDeep("a page whose script never ends has failed", needsBrowser, async () => {
  const seen = await open("/loops")
  expect(seen).toMatchObject({ faults: [expect.stringContaining("drew nothing")], isEmpty: false })
})
