import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openPlace, type Place } from "./harness/place.ts"
import { onRunScreen } from "./harness/screen.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

const manifest = JSON.stringify({ type: "module", scripts: { start: "node server.js" } })
const app = (word: string) => `import { createServer } from "node:http"
const page = \`<!doctype html><html lang="en"><head><title>Books</title></head><body><h1>${word}</h1>
<p id="count"></p><script>
fetch("/api/count").then((answer) => answer.json()).then(({ count }) => {
  document.querySelector("#count").textContent = count + " books"
})
try { parent.document.title = "taken" } catch (error) { console.error(new Error("kept out: " + document.cookie)) }
</script></body></html>\`
createServer((request, response) => {
  if (request.url === "/api/count") return response.setHeader("content-type", "application/json").end('{"count":3}')
  response.setHeader("content-type", "text/html").end(page)
}).listen(process.env.PORT, "127.0.0.1")
`

const onPreview = (page: Page) => ({
  pane: page.getByRole("region", { name: "Preview" }),
  text: () => page.frameLocator("iframe[title=Preview]").locator("body").innerText(),
})

inChromium("the preview of a server", ({ visit }) => {
  let place: Place
  beforeAll(async () => {
    place = await openPlace()
  })
  afterAll(() => place?.[Symbol.asyncDispose]())

  const edit = (id: string, path: string, content: string) =>
    place.ask("PUT", "/workspace/file", { workspace_id: id, path, content })

  it("asks a person once, where the app will be, and from then on starts by itself and follows the runs", async () => {
    place.director.build({ "package.json": manifest, "server.js": app("First") })
    const first = await place.session({ built: true, prompt: "Books." })
    await using visitor = await visit(`${place.url}/s/${first}/run`)
    const { page } = visitor
    const { pane, text } = onPreview(page)
    const { conversation } = onRunScreen(page)
    await pane.getByText("This app needs a server").waitFor()
    await pane.getByText(/runs in a sandbox without network access/).waitFor()
    expect(await conversation.getByRole("button", { name: /Allow/ }).count()).toBe(0)
    await pane.getByRole("button", { name: "Allow and start" }).click()
    await until(text).toMatch(/First\s+3 books/)
    place.director.build({ "server.js": app("Second") })
    await onRunScreen(page).ask("Call it second.")
    await until(text).toMatch(/Second\s+3 books/)

    place.director.build({ "package.json": manifest, "server.js": app("Other") })
    const other = await place.session({ built: true, prompt: "Other books." })
    await page.goto(`/s/${other}/run`)
    await until(text).toMatch(/Other\s+3 books/)
    visitor.faults.length = 0
  })

  it("says plainly that a server has no page", async () => {
    const id = await place.session()
    await edit(id, "package.json", manifest)
    await edit(
      id,
      "server.js",
      `import { createServer } from "node:http"
createServer((_, response) => response.writeHead(404).end("{}")).listen(process.env.PORT, "127.0.0.1")
`,
    )
    await place.ask("POST", `/api/v1/sessions/${id}/preview/server`, { consent: true })
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { pane } = onPreview(visitor.page)
    await pane.getByText("The server is running but has no page").waitFor()
    expect(await pane.locator("iframe").count()).toBe(0)
  })

  it("follows the files, and shows them as they were", async () => {
    const id = await place.session()
    await edit(id, "package.json", manifest)
    await edit(id, "server.js", app("First"))
    await place.ask("POST", `/api/v1/sessions/${id}/preview/server`, { consent: true })
    await using visitor = await visit(`${place.url}/s/${id}/preview`)
    const { page } = visitor
    const { pane, text } = onPreview(page)
    await until(text).toMatch(/First\s+3 books/)
    // The app runs on its own server and can't reach the studio.
    expect(await page.title()).not.toBe("taken")
    await until(() => pane.getByRole("button", { name: /^Console/ }).getAttribute("aria-label")).toMatch(/Console 1\b/)
    await edit(id, "server.js", app("Second"))
    await until(text).toMatch(/Second\s+3 books/)

    const { moment } = onRunScreen(page)
    await moment.fill("3")
    await pane.getByText("The server is running version 3").waitFor()
    await pane.getByRole("button", { name: "Start version 2" }).click()
    await until(text).toMatch(/First\s+3 books/)
    await pane.getByText("Version 2", { exact: true }).waitFor()
    await pane.getByRole("button", { name: "Stop the server" }).click()
    await pane.getByText("It was stopped.").waitFor()
    visitor.faults.length = 0
  })

  it("says why it can't be started, and has that fixed", async () => {
    const id = await place.session()
    await edit(id, "package.json", manifest)
    await edit(id, "server.js", 'throw new Error("no database")\n')
    await place.ask("POST", `/api/v1/sessions/${id}/preview/server`, { consent: true })
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    const { pane, text } = onPreview(page)
    await pane.getByText("no database").first().waitFor()
    place.director.build({ "server.js": app("Mended") })
    await pane.getByRole("button", { name: "Fix this" }).click()
    await onRunScreen(page).finished()
    // The app's new version starts automatically.
    await until(text).toMatch(/Mended\s+3 books/)
    visitor.faults.length = 0
  })
})
