import type { Locator, Page } from "playwright-core"
import { afterEach, beforeEach, expect, it } from "vitest"
import { openPlace, type Place } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

const app = (button: string) => ({
  "index.html": `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Shelf</title></head>
<body>
  <h1>Shelf</h1>
  <button id="add" type="button">${button}</button>
</body>
</html>
`,
})

inChromium("without a pointer, from the first visit to a published app", ({ visit }) => {
  let place: Place
  beforeEach(async () => {
    place = await openPlace()
  })
  afterEach(() => place[Symbol.asyncDispose]())

  it("leads with Tab, arrows and documented shortcuts, and always shows the focus", async () => {
    place.director.build(app("Add a book"))
    await using visitor = await visit(place.url)
    const { page, context } = visitor
    const { press, tabTo, type, isAt } = byKeys(page)
    const shown = page.frameLocator("iframe[title=Preview]")
    const button = (name: string, within: Page | Locator = page) => within.getByRole("button", { name, exact: true })

    // Build.
    await isAt(page.getByRole("textbox", { name: "What to build" }))
    await type("A shelf for my books.")
    await press("Enter")
    await page.waitForURL(/\/s\/[^/]+\/run$/)
    await isAt(page.getByRole("heading", { level: 1 }))
    await shown.getByRole("button", { name: "Add a book" }).waitFor()

    // Look at the app, from the log.
    await press("Control+j")
    await until(() => page.url()).toMatch(/show=log/)
    await press("p")
    await until(() => page.url()).toMatch(/show=app/)
    await press("F6")
    for (let presses = 0; presses < 6 && (await regionOf(page)) !== "preview"; presses++) await press("F6")
    await isAt(page.getByRole("region", { name: "Preview" }))
    await tabTo(page.locator("iframe[title=Preview]"))
    await until(() => shown.locator("#add").evaluate((one) => one === document.activeElement)).toBe(true)
    await press("Shift+Tab")

    // Select an element, and change it.
    await press("i")
    const cover = page.getByRole("application", { name: "Select an element" })
    await isAt(cover)
    const outline = page.locator("[data-outline]")
    await press("Tab")
    await until(() => outline.getAttribute("data-outline")).toBe("body > h1")
    await press("ArrowRight")
    await until(() => outline.getAttribute("data-outline")).toBe("#add")
    await press("Enter")
    const chips = page.getByRole("list", { name: "Selected elements" }).getByRole("listitem")
    await until(() => chips.allInnerTexts().then(String)).toContain("index.html, line 6")
    const prompt = page.getByRole("textbox", { name: "What to change" })
    await isAt(prompt)
    place.director.build(app("Add another book"))
    await type("Make it say: Add another book")
    const run = page.locator("#agent-run-button")
    await tabTo(run)
    await press("Enter")
    await shown.getByRole("button", { name: "Add another book" }).waitFor()
    await until(() => prompt.inputValue()).toBe("")
    await isAt(run)

    // Open the first version in the list of all versions, and go back to live.
    await tabTo(button("Version 2"), "Shift+Tab")
    await press("Enter")
    const dialog = page.getByRole("dialog")
    await dialog.getByText("Version 1", { exact: true }).waitFor()
    const first = dialog.getByRole("listitem").filter({ has: page.getByText("Version 1", { exact: true }) })
    await tabTo(button("Open", first))
    await press("Enter")
    await shown.getByRole("button", { name: "Add a book" }).waitFor()
    await isAt(page.getByRole("region", { name: "Conversation" }))
    await press("l")
    await shown.getByRole("button", { name: "Add another book" }).waitFor()

    // Restore it, undo that, and restore it again.
    await tabTo(button("Restore"))
    await press("Enter")
    await page.getByText("Restored version 1 as version 3.").first().waitFor()
    await isAt(button("Restore").first())
    await tabTo(button("Undo"))
    await press("Enter")
    await page.getByText("Restored version 2 as version 4.").first().waitFor()
    await isAt(page.getByRole("region", { name: "Conversation" }))
    await tabTo(button("Version 4"))
    await press("Enter")
    await tabTo(button("Restore", first))
    await press("Enter")
    await dialog.getByText("Version 5", { exact: true }).waitFor()
    await isAt(button("Restore", first))
    await press("Escape")
    await isAt(button("Version 4"))
    await shown.getByRole("button", { name: "Add a book" }).waitFor()

    // Publish, and open the address.
    await tabTo(button("Publish"), "Shift+Tab")
    await press("Enter")
    await isAt(dialog.getByRole("textbox", { name: "Name" }))
    await press("Control+a")
    await type("shelf")
    await press("Enter")
    const address = dialog.getByRole("link", { name: "Open" })
    await isAt(address)
    const opening = context.waitForEvent("page")
    await press("Enter")
    const opened = await opening
    await opened.getByRole("button", { name: "Add a book" }).waitFor()
    expect(new URL(opened.url()).host).toMatch(/^shelf\.localhost:\d+$/)
    await opened.close()
    await press("Escape")
    await isAt(button("Publish"))
  })
})

/** Acts by keyboard only, and checks before each key that the focus is visible. */
function byKeys(page: Page) {
  const seesFocus = () => until(() => page.evaluate(focusFault)).toBeNull()
  const isFocused = (wanted: Locator) =>
    wanted.evaluateAll((found) => found.some((one) => one === document.activeElement))
  async function press(key: string): Promise<void> {
    await seesFocus()
    await page.keyboard.press(key)
  }
  return {
    press,
    async type(text: string) {
      await seesFocus()
      await page.keyboard.type(text)
    },
    /** Waits until this element is focused and the focus is visible. */
    async isAt(wanted: Locator) {
      await until(() => isFocused(wanted)).toBe(true)
      await seesFocus()
    },
    /** Presses Tab until this element is focused. */
    async tabTo(wanted: Locator, key: "Tab" | "Shift+Tab" = "Tab") {
      const passed: string[] = []
      while (!(await isFocused(wanted))) {
        passed.push(await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 80) ?? ""))
        if (passed.length > 60) throw new Error(`${key} doesn't lead to ${wanted}, but to:\n${passed.join("\n")}`)
        await press(key)
      }
      await seesFocus()
    },
  }
}

function regionOf(page: Page): Promise<string | null | undefined> {
  return page.evaluate(() => document.activeElement?.getAttribute("data-region"))
}

/** Runs in the page. Returns the reason why the focus can't be seen; null if it can. */
function focusFault(): string | null {
  const focused = document.activeElement
  if (!focused || focused === document.body) return "The focus is nowhere."
  // A screen's heading only has the focus so that it is read aloud. No key acts on it, and Tab leads to the next
  // control.
  if (focused.localName === "h1") return null
  const name = focused.outerHTML.slice(0, 120)
  const { left, top, right, bottom } = focused.getBoundingClientRect()
  const [x, y] = [
    (Math.max(0, left) + Math.min(innerWidth, right)) / 2,
    (Math.max(0, top) + Math.min(innerHeight, bottom)) / 2,
  ]
  const hit = document.elementFromPoint(x, y)
  if (!hit || !(focused.contains(hit) || hit.contains(focused))) return `Covered: ${name}`
  // The page inside an iframe shows its own focus.
  if (focused.localName === "iframe") return null
  // The outline may be on an element around a field.
  let depth = 0
  for (let one: Element | null = focused; one && depth < 4; one = one.parentElement, depth++) {
    const { outlineStyle, outlineWidth } = getComputedStyle(one)
    if (outlineStyle !== "none" && Number.parseFloat(outlineWidth) > 0) return null
  }
  return `Without an outline: ${name}`
}
