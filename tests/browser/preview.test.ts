import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openPlace, type Place } from "./harness/place.ts"
import { onRunScreen } from "./harness/screen.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Shelf</title><link rel="stylesheet" href="style.css"></head>
<body><h1>Shelf</h1><p id="count">Loading</p><script src="app.js"></script></body>
</html>
`
const STYLE = "h1 { color: rgb(45, 74, 58); }\n"
const broken =
  'const count = document.querySelector("#count")\ncount.textContent = [1, 2, 3].size.toString() + " books"\n'
const fixed = broken.replace("size", "length")
const MESSAGE = "Cannot read properties of undefined (reading 'toString')"
const files = (app: string) => ({ "index.html": PAGE, "style.css": STYLE, "app.js": app })

function onPreview(page: Page) {
  const pane = page.getByRole("region", { name: "Preview" })
  return {
    pane,
    frame: page.frameLocator("iframe[title=Preview]"),
    console: pane.getByRole("button", { name: /^Console/ }),
    rows: pane.getByRole("list", { name: "Page errors" }).getByRole("listitem"),
    text: () => page.frameLocator("iframe[title=Preview]").locator("body").innerText(),
  }
}

inChromium("the preview", ({ visit }) => {
  let place: Place
  beforeAll(async () => {
    place = await openPlace()
  })
  afterAll(() => place?.[Symbol.asyncDispose]())

  it("shows what is committed while the run goes on, reports its error, and has it fixed", async () => {
    place.director.build(files(broken))
    const held = place.director.hold("app.js")
    const id = await place.session()
    await place.run(id, "A shelf of books.")
    await held.reached
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    const screen = onRunScreen(page)
    const { pane, frame, console, rows, text } = onPreview(page)
    await until(text).toContain("Loading")
    const heading = frame.getByRole("heading")
    await until(() => heading.evaluate((element) => getComputedStyle(element).color)).toBe("rgb(45, 74, 58)")

    held.release()
    await screen.finished()
    await until(() => console.getAttribute("aria-label")).toBe("Console 1 error")
    await console.click()
    await until(() => rows.innerText()).toContain(MESSAGE)
    await rows.getByRole("button", { name: "app.js, line 2" }).click()
    await until(() => page.locator("#agent-editor .cm-content").innerText()).toContain("[1, 2, 3].size")
    await screen.show("App")
    const withError = await page.getByRole("slider", { name: "Timeline position" }).inputValue()

    place.director.build(files(fixed))
    await rows.getByRole("button", { name: "Fix this" }).click()
    await until(text).toContain("3 books")
    await screen.finished()
    await until(() => console.getAttribute("aria-label")).toBe("Console 0 errors")
    expect(
      place.director.requests
        .at(-1)
        ?.messages.map(({ content }) => content)
        .join(),
    ).toContain("#count")
    const { events } = await place.ask("GET", `/api/v1/sessions/${id}/events?event_types=run_created`)
    const { input } = events.at(-1)
    expect(JSON.stringify(input)).toContain(MESSAGE)
    expect(JSON.stringify(input)).toContain("Location: app.js, line 2")

    // Shows earlier versions of the app: first with its error, then before its script existed.
    const asked: string[] = []
    page.on("request", (request) => void asked.push(request.url()))
    await screen.moment.fill(withError)
    await until(text).toContain("Loading")
    await pane.getByText(/^Version \d+$/).waitFor()
    await until(() => console.getAttribute("aria-label")).toBe("Console 1 error")
    expect(await rows.getByRole("button", { name: "Fix this" }).isDisabled()).toBe(true)
    await screen.moment.fill("1")
    await page.getByText("Your app will appear here").waitFor()
    await page.getByRole("button", { name: "Live", exact: true }).click()
    await until(text).toContain("3 books")
    // The page doesn't ask for the time before the first commit, which the server would refuse.
    expect(asked.filter((url) => /\/preview\?.*\bseq=0\b/.test(url))).toEqual([])
    // The allowed faults are the page's own error, and its request for a script that wasn't written yet.
    expect(visitor.faults.filter((fault) => !fault.includes(MESSAGE) && !fault.includes("app.js"))).toEqual([])
    visitor.faults.length = 0
  })

  it("is looked at in other widths, anew, in a tab of its own, and by the keyboard", async () => {
    place.director.build({
      ...files(fixed),
      "app.js": 'document.querySelector("#count").textContent = innerWidth + " wide"\n',
    })
    const id = await place.session({ built: true, prompt: "A shelf." })
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    const { pane, text, frame } = onPreview(page)
    await onRunScreen(page).finished()
    // Browsers that block third-party cookies refuse `localStorage` to iframes of other sites.
    await page.addInitScript(() => {
      if (window === window.top) return
      const get = () => {
        throw new DOMException("Access is denied for this document.", "SecurityError")
      }
      Object.defineProperty(window, "localStorage", { configurable: true, get })
    })
    await onRunScreen(page).show("Log")
    await pane.waitFor({ state: "hidden" })
    await page.locator("body").press("p")
    await until(text).toMatch(/\d+ wide/)
    for (const width of [1280, 390]) {
      await pane.getByRole("button", { name: `${width} pixels wide` }).click()
      await pane.getByRole("button", { name: "Reload the preview" }).click()
      await until(text).toContain(`${width} wide`)
      const stage = await page.locator("iframe[title=Preview]").boundingBox()
      const room = await pane.boundingBox()
      expect(stage?.width).toBeLessThanOrEqual(room?.width ?? 0)
    }
    // The preview gives the page a substitute storage.
    const stored = await frame.locator("body").evaluate(() => {
      localStorage.setItem("book", "Middlemarch")
      return [localStorage.getItem("book"), localStorage.length, localStorage.getItem("author")]
    })
    expect(stored).toEqual(["Middlemarch", 1, null])
    await page.goto(`/s/${id}/preview`)
    await until(text).toMatch(/\d+ wide/)
    await pane.getByRole("button", { name: /^Console/ }).click()
    await pane.getByText(/blocks storage in embedded pages/).waitFor()
    const [tab] = await Promise.all([
      visitor.context.waitForEvent("page"),
      pane.getByRole("link", { name: "Open the preview in a new tab" }).click(),
    ])
    await until(() => tab.locator("body").innerText()).toMatch(/\d+ wide/)
    expect(await tab.evaluate(() => window.opener)).toBeNull()
  })

  it("blocks other sites until they are allowed, and says so", async () => {
    const away = PAGE.replace("</body>", '<img src="https://elsewhere.invalid/a.png" alt="">\n</body>')
    place.director.build({ ...files(fixed), "index.html": away })
    const id = await place.session({ built: true, prompt: "A shelf." })
    await using visitor = await visit(`${place.url}/s/${id}/preview`)
    const { page } = visitor
    const { console, rows, text, pane } = onPreview(page)
    await until(text).toContain("3 books")
    await console.click()
    await until(() => rows.allInnerTexts().then(String)).toContain("Blocked: elsewhere.invalid")
    await pane.getByLabel("Allow requests to other sites").check()
    await until(() => rows.allInnerTexts().then(String)).toContain("could not load https://elsewhere.invalid/a.png")
    visitor.faults.length = 0
  })

  it("says why there is nothing to show", async () => {
    place.director.build({ "README.md": "# Nothing\n" })
    const id = await place.session({ built: true, prompt: "A note." })
    await using visitor = await visit(`${place.url}/s/${id}/preview`)
    await visitor.page.getByText("The files don't include an index.html.").waitFor()
  })
})
