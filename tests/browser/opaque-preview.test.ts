import { join } from "node:path"
import { systemClock } from "@switchyard/core/time"
import { createDemoModel } from "@switchyard/functions/demo-model"
import { build } from "esbuild"
import { afterAll, beforeAll, expect, it } from "vitest"
import plugins from "../../infra/plugins.mjs"
import { openPlace, type Place } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

const env = { PREVIEWS: "opaque" }

/** A page with paths from the root, as built pages have, that uses features a page without an origin lacks. */
const FILES = {
  "public/index.html": `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><title>Shelf</title>
<link rel="stylesheet" href="/public/style.css">
<script type="importmap">
{ "imports": { "shelf": "/public/shelf.js" } }
</script>
<script src="/public/early.js"></script>
<script type="module" src="/public/app.js"></script>
</head>
<body><h1>Shelf</h1><pre id="found"></pre></body>
</html>
`,
  "public/style.css": 'h1 { color: rgb(45, 74, 58); background: url("/public/dot.svg") }\n',
  "public/dot.svg":
    '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><path d="M0 0h4v4H0z" fill="red"/></svg>\n',
  "public/early.js": "window.early = typeof localStorage.getItem\n\nmissing.call()\n",
  "public/shelf.js": 'import { three } from "/public/deep/three.js"\nexport const count = three\n',
  "public/deep/three.js": "export const three = 3\n",
  "public/books.json": '["Middlemarch"]\n',
  "public/worker.js":
    'importScripts("part.js")\nfetch("books.json").then((a) => a.json()).then(([book]) => postMessage(part + book))\n',
  "public/part.js": 'var part = "worker: "\n',
  "public/app.js": `import { count } from "shelf"
const tries = {
  imported: () => count,
  lazily: async () => (await import("/public/deep/three.js")).three,
  early: () => early,
  fetched: async () => (await fetch("/public/books.json", { credentials: "include" })).json(),
  relative: async () => (await fetch("books.json")).json(),
  asked: async () => (await fetch(new Request(new URL("/public/books.json", location.origin), { headers: { "x-asked": "1" } }))).json(),
  older: () => new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open("GET", "/public/books.json")
    request.onload = () => resolve(JSON.parse(request.responseText))
    request.onerror = () => reject(new Error("nothing"))
    request.send()
  }),
  storage: () => {
    localStorage.setItem("book", "Emma")
    localStorage.author = "Austen"
    return [localStorage.getItem("book"), localStorage.length, "author" in localStorage, Object.keys(localStorage), sessionStorage.book ?? null]
  },
  cookie: () => {
    document.cookie = "a=1; path=/"
    document.cookie = "b=2; max-age=60"
    document.cookie = "a=; max-age=0"
    return document.cookie
  },
  history: () => {
    history.pushState({ at: 1 }, "", "/shelf/1")
    return [history.state.at, location.pathname.split("/").slice(2).join("/")]
  },
  pixel: () => new Promise((resolve, reject) => {
    const image = new Image()
    image.onload = () => {
      const canvas = document.createElement("canvas").getContext("2d")
      canvas.drawImage(image, 0, 0)
      resolve([...canvas.getImageData(1, 1, 1, 1).data])
    }
    image.onerror = () => reject(new Error("no image"))
    image.src = "/public/dot.svg"
  }),
  worker: () => new Promise((resolve, reject) => {
    const worker = new Worker("/public/worker.js")
    worker.onmessage = ({ data }) => resolve(data)
    worker.onerror = ({ message }) => reject(new Error(message))
  }),
  origin: () => self.origin,
}
const found = await Promise.all(Object.entries(tries).map(async ([name, run]) => {
  try { return [name, await run()] } catch (error) { return [name, String(error)] }
}))
document.querySelector("#found").textContent = JSON.stringify(Object.fromEntries(found))
`,
}

inChromium("a preview without an origin", ({ visit }) => {
  let place: Place
  beforeAll(async () => {
    place = await openPlace({ env })
  })
  afterAll(() => place?.[Symbol.asyncDispose]())

  async function sessionWith(files: Record<string, string>): Promise<string> {
    const id = await place.session()
    for (const [path, content] of Object.entries(files)) {
      await place.ask("PUT", "/workspace/file", { path, content, workspace_id: id })
    }
    return id
  }

  it("finds its own files however it names them, and has in memory what it can't store", async () => {
    const id = await sessionWith(FILES)
    const { url } = await place.ask("GET", `/api/v1/sessions/${id}/preview`)
    expect(url).toMatch(/^http:\/\/previews\.localhost:\d+\/[\w-]{80,}\/public\/$/)
    await using visitor = await visit(`${place.url}/s/${id}/preview`)
    const { page } = visitor
    const frame = page.frameLocator("iframe[title=Preview]")
    await until(() => frame.locator("#found").innerText()).toMatch(/^\{/)
    expect(JSON.parse(await frame.locator("#found").innerText())).toEqual({
      imported: 3,
      lazily: 3,
      early: "function",
      fetched: ["Middlemarch"],
      relative: ["Middlemarch"],
      asked: ["Middlemarch"],
      older: ["Middlemarch"],
      storage: ["Emma", 2, true, ["book", "author"], null],
      cookie: "b=2",
      history: [1, "shelf/1"],
      pixel: [255, 0, 0, 255],
      worker: "worker: Middlemarch",
      origin: "null",
    })
    const heading = frame.getByRole("heading")
    expect(await heading.evaluate((element) => getComputedStyle(element).color)).toBe("rgb(45, 74, 58)")
    // An error of a script is shown with its file and line, as on a page with its own origin.
    const pane = page.getByRole("region", { name: "Preview" })
    await pane.getByRole("button", { name: "Console 1 error" }).click()
    await pane.getByText("missing is not defined").waitFor()
    await pane.getByRole("button", { name: "public/early.js, line 3" }).waitFor()
    await pane.getByText("stored data is lost when the page reloads").waitFor()
    expect(await pane.locator("header p").innerText()).toMatch(/^previews\.localhost:\d+\/\w+…\/shelf\/1$/)
    // In its own tab, the page has an opaque origin too.
    const [tab] = await Promise.all([
      visitor.context.waitForEvent("page"),
      pane.getByRole("link", { name: "Open the preview in a new tab" }).click(),
    ])
    await until(() => tab.locator("#found").innerText()).toContain('"origin":"null"')
    expect(await tab.locator("#found").innerText()).toContain('"storage":["Emma",2,')
    expect(visitor.faults.filter((fault) => !fault.includes("missing is not defined"))).toEqual([])
    visitor.faults.length = 0
  })

  it("has nothing in common with another session's, and can't read it", async () => {
    const secret = await sessionWith({ "index.html": "<title>Diary</title><p>Secret</p>", "a.js": "window.stolen = 1" })
    const { root } = await place.ask("GET", `/api/v1/sessions/${secret}/preview`)
    // The script knows the other preview's secret root address, which a real page can't guess.
    const tries = `
const root = ${JSON.stringify(root)}
const tries = {
  fetched: async () => (await fetch(root)).text(),
  blind: async () => (await fetch(root, { mode: "no-cors" })).type,
  script: () => new Promise((resolve, reject) => {
    const script = document.createElement("script")
    script.onload = () => resolve(window.stolen)
    script.onerror = () => reject(new Error("no script"))
    script.src = root + "a.js"
    document.body.append(script)
  }),
  inside: () => new Promise((resolve, reject) => {
    const inner = document.createElement("iframe")
    inner.onload = () => { try { resolve(inner.contentDocument.title) } catch (error) { reject(error) } }
    inner.src = root
    document.body.append(inner)
    setTimeout(() => reject(new Error("nothing loaded")), 2000)
  }),
  database: () => new Promise((resolve, reject) => {
    const request = indexedDB.open("shared")
    request.onsuccess = resolve
    request.onerror = () => reject(request.error)
  }),
}
Promise.all(Object.entries(tries).map(async ([name, run]) => {
  try { return [name, "REACHED " + await run()] } catch (error) { return [name, "refused " + error] }
})).then((found) => { document.querySelector("#found").textContent = JSON.stringify(Object.fromEntries(found)) })`
    const thief = await sessionWith({
      "index.html": `<title>Thief</title><pre id="found"></pre><script>${tries}</script>`,
    })
    await using visitor = await visit(`${place.url}/s/${thief}/preview`)
    const found = visitor.page.frameLocator("iframe[title=Preview]").locator("#found")
    await until(() => found.innerText()).toMatch(/^\{/)
    const told: Record<string, string> = JSON.parse(await found.innerText())
    expect(Object.keys(told)).toHaveLength(5)
    expect(Object.entries(told).filter(([, outcome]) => !outcome.startsWith("refused"))).toEqual([])
    visitor.faults.length = 0
  })
})

inChromium("the scripts of previews, bundled as they are deployed", ({ visit }) => {
  it("need nothing from around them", async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: 'export * from "./packages/functions/src/previews/opaque/opaque-pages.ts"',
        resolveDir: join(import.meta.dirname, "..", ".."),
      },
      bundle: true,
      write: false,
      platform: "node",
      format: "esm",
      keepNames: true,
      minify: true,
      plugins,
    })
    const bundle = `data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? "")}`
    const { opaqueReporter } = (await import(
      bundle
    )) as typeof import("@switchyard/functions/previews/opaque/opaque-pages")
    const grant = { sid: "", incarnation: 1, seq: null, external: false }
    const found = { grant, address: "https://previews.example/T/", path: "/", studioOrigins: ["null"] }
    const script = `${opaqueReporter(found)};parent.postMessage(localStorage.getItem("a") === null, "*")`
    await using visitor = await visit("about:blank")
    const told = await visitor.page.evaluate(
      (script) =>
        new Promise((resolve) => {
          window.addEventListener("message", ({ data }) => resolve(data))
          const frame = document.createElement("iframe")
          frame.sandbox.add("allow-scripts")
          frame.srcdoc = `<script>window.onerror = (message) => parent.postMessage(message, "*")</script><script>${script}</script>`
          document.body.append(frame)
        }),
      script,
    )
    expect(told).toBe(true)
  })
})

inChromium("the demo's projects in a preview without an origin", ({ visit }) => {
  let place: Place
  beforeAll(async () => {
    place = await openPlace({ env, model: createDemoModel({ ...systemClock, sleep: async () => {} }) })
  })
  afterAll(() => place?.[Symbol.asyncDispose]())

  it.each([
    "A landing page for a tea house",
    "A to-do list as a web page",
    "A quiz about capitals",
    "A timer",
    "A word counter",
    "A URL shortener page",
    "A password generator page",
  ])("work without an error: %s", async (prompt) => {
    const id = await place.session({ built: true, prompt })
    const { available, url } = await place.ask("GET", `/api/v1/sessions/${id}/preview`)
    expect([available, url]).toEqual([true, expect.stringContaining("//previews.localhost:")])
    await using visitor = await visit(`${place.url}/s/${id}/preview`)
    const frame = visitor.page.frameLocator("iframe[title=Preview]")
    await frame.getByRole("heading").first().waitFor()
    await visitor.page.locator("iframe[data-loaded=true]").waitFor()
    await visitor.page.getByRole("button", { name: "Console 0 errors" }).waitFor()
    const button = frame.getByRole("button").first()
    if ((await button.count()) > 0 && (await button.isEnabled())) await button.click()
    await visitor.page.getByRole("button", { name: "Console 0 errors" }).waitFor()
  })
})
