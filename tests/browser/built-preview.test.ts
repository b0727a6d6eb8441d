import { afterAll, beforeAll, expect, it } from "vitest"
import { openPlace, type Place } from "./harness/place.ts"
import { onRunScreen } from "./harness/screen.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

const page = `<!doctype html><html lang="en"><head><title>Shelf</title></head>
<body><div id="app"></div><script type="module" src="/src/main.tsx"></script></body></html>
`
/** A build script that imitates a bundler without any packages. */
const build = `import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
const [, word] = /name = "(.*)"/.exec(readFileSync("src/main.tsx", "utf8"))
mkdirSync("dist/assets", { recursive: true })
writeFileSync("dist/index.html", readFileSync("index.html", "utf8").replace("/src/main.tsx", "/assets/app.js"))
writeFileSync("dist/assets/app.js", 'document.querySelector("#app").innerHTML = "<h1>' + word + '</h1>"')
`
const files = (word: string) => ({
  "index.html": page,
  "src/main.tsx": `export const name = "${word}"\n`,
  "build.js": build,
  "package.json": JSON.stringify({ type: "module", scripts: { build: "node build.js" } }),
})

inChromium("the app of a project that must be built", ({ visit }) => {
  let place: Place
  beforeAll(async () => {
    place = await openPlace()
  })
  afterAll(() => place?.[Symbol.asyncDispose]())

  it("offers the checks in place of the app, and then shows what they built", async () => {
    place.director.build(files("Books"))
    const id = await place.session({ built: true, prompt: "A shelf." })
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    const pane = page.getByRole("region", { name: "Preview" })
    const text = () => page.frameLocator("iframe[title=Preview]").locator("body").innerText()
    await pane.getByText("This app needs to be built first").waitFor()
    expect(await pane.locator("iframe").count()).toBe(0)
    await pane.getByRole("button", { name: "Run tests and start" }).click()
    await pane.getByRole("button", { name: "Allow", exact: true }).click()
    await until(text).toBe("Books")

    // A selected element of the built page is traced to its source file.
    await pane.getByRole("button", { name: "Select an element to change" }).click()
    await pane.getByRole("application", { name: "Select an element" }).waitFor()
    const box = await page.frameLocator("iframe[title=Preview]").locator("h1").boundingBox()
    await page.mouse.click((box?.x ?? 0) + 10, (box?.y ?? 0) + 10)
    const chips = page.getByRole("list", { name: "Selected elements" }).getByRole("listitem")
    await until(() => chips.allInnerTexts().then(String)).toContain("main.tsx")
    await chips.getByRole("button", { name: /^Remove/ }).click()

    // The next run is checked automatically, and its output replaces the first.
    place.director.build({ "src/main.tsx": 'export const name = "Films"\n' })
    await onRunScreen(page).ask("Show films instead.")
    await until(text).toBe("Films")

    // A replay shows the build output of the version at that moment.
    const { events } = await place.ask("GET", `/api/v1/sessions/${id}/events?event_types=build_output_stored`)
    await onRunScreen(page).moment.fill(String(events[0].seq))
    await until(text).toBe("Books")
  })

  it("says so if the output of a replayed version isn't stored", async () => {
    place.director.build(files("Books"))
    const id = await place.session({ built: true, prompt: "A shelf." })
    // Runs may be checked automatically, but a person's edits aren't.
    for (const content of ["a", "b"])
      await place.ask("PUT", "/workspace/file", { workspace_id: id, path: "a.txt", content })
    await using visitor = await visit(`${place.url}/s/${id}/preview`)
    const { page } = visitor
    const pane = page.getByRole("region", { name: "Preview" })
    await pane.getByText("Browsers can't run index.html as it is.").waitFor()
    const { events } = await place.ask("GET", `/api/v1/sessions/${id}/events?event_types=workspace_committed`)
    await onRunScreen(page).moment.fill(String(events.at(-2).seq))
    await pane.getByText(/must be built first, and no build of it is stored/).waitFor()
    expect(await pane.getByRole("button", { name: "Run tests and start" }).count()).toBe(0)
  })
})
