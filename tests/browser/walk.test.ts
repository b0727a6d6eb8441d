import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import type { FrameLocator, Page } from "playwright-core"
import { afterEach, beforeEach, expect, it } from "vitest"
import { someOf } from "../settings.ts"
import { layoutFaults } from "./harness/layout.ts"
import { layoutShift, observeLayoutShifts, withoutShiftsOf } from "./harness/layout-shifts.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"
import type { Visitor } from "./harness/visit.ts"

const page = (button: string) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Shelf</title><link rel="stylesheet" href="style.css"></head>
<body>
  <h1>Shelf</h1>
  <p>Books to read this winter.</p>
  <button id="add" type="button">${button}</button>
</body>
</html>
`
const style = "body { font: 18px/1.5 system-ui; margin: 15vh auto; max-width: 30rem; padding: 1rem }\n"
const app = (button: string) => ({ "index.html": page(button), "style.css": style })

const WIDTHS = [1440, 1280, 1024, 390]
/** A normal test run takes the first look of each theme: wide and light, narrow and dark. */
const LOOKS: Visitor[] = [
  ...WIDTHS.map((width) => ({ width, theme: "light" as const })),
  ...WIDTHS.toReversed().map((width) => ({ width, theme: "dark" as const })),
]

/** Folder for a screenshot of each step. If it isn't set, none are taken. */
const PICTURES = process.env.WALK_PICTURES

inChromium("from the first visit to a published app", ({ visit }) => {
  let place: Place
  beforeEach(async () => {
    place = await openPlace()
  })
  afterEach(() => place[Symbol.asyncDispose]())

  it.each(someOf(LOOKS, 2))("at $width pixels, $theme", async (look) => {
    place.director.build(app("Add a book"))
    await using visitor = await visit("about:blank", look)
    const { page, context } = visitor
    await observeLayoutShifts(context)
    await page.goto(place.url)
    /** Switches to a part of the session, because a phone shows only one at a time. */
    const show = async (part: "App" | "Conversation") => {
      if (look.width === 390) await page.getByRole("button", { name: part, exact: true }).click()
    }
    const shown = page.frameLocator("iframe[title=Preview]")
    const step = (name: string) => inspect(page, name, look)

    await page.getByRole("textbox", { name: "What to build" }).fill("A shelf for my books.")
    await step("prompt")
    if (look.width === 390) await page.locator("#agent-run-button").click()
    else await page.keyboard.press("Enter")
    await show("App")
    await shown.getByRole("button", { name: "Add a book" }).waitFor()
    await step("app")

    await page.getByRole("button", { name: "Select an element to change" }).click()
    await clickIn(page, shown, "#add")
    const chips = page.getByRole("list", { name: "Selected elements", includeHidden: true }).locator("li")
    // The click was inside the preview, so the browser doesn't count it as input of this page and counts the shift.
    await until(() => chips.allTextContents().then(String)).toContain("index.html, line 7")
    await show("Conversation")
    await step("selected")
    place.director.build(app("Add another book"))
    await page.getByRole("textbox", { name: "What to change" }).fill("Make it say: Add another book")
    await withoutShiftsOf(page, async () => {
      await page.locator("#agent-run-button").click()
      // The form gives up the element's line once the server has accepted the request.
      await page
        .locator("#agent-user-prompt")
        .getByRole("list", { name: "Selected elements" })
        .waitFor({ state: "detached" })
    })
    await show("App")
    await shown.getByRole("button", { name: "Add another book" }).waitFor()
    await step("changed")

    await show("Conversation")
    await page.getByRole("button", { name: "Restore", exact: true }).first().click()
    await page
      .getByText(/^Restored version \d+ as version \d+/)
      .first()
      .waitFor()
    await page.getByRole("button", { name: "Dismiss" }).click()
    await show("App")
    await shown.getByRole("button", { name: "Add a book" }).waitFor()
    await step("restored")

    if (look.width === 390) {
      await page.getByRole("button", { name: "Session actions" }).click()
      await page.getByRole("menuitem", { name: "Publish" }).click()
    } else await page.getByRole("button", { name: "Publish", exact: true }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("textbox", { name: "Name" }).fill("shelf")
    await step("publish")
    await dialog.getByRole("button", { name: "Publish", exact: true }).click()
    const address = dialog.getByRole("link", { name: "Open" })
    await address.waitFor()
    await step("published")
    const opened = await context.newPage()
    await opened.goto((await address.getAttribute("href")) ?? "")
    await opened.getByRole("button", { name: "Add a book" }).waitFor()
    expect(new URL(opened.url()).host).toMatch(/^shelf\.localhost:\d+$/)
    await inspect(opened, "opened", look)
    await opened.close()
  })
})

/** Fails if a step has layout faults or more than a little layout shift. Takes its screenshot if `PICTURES` is set. */
async function inspect(page: Page, name: string, { width, theme }: Visitor): Promise<void> {
  if (PICTURES) {
    await mkdir(PICTURES, { recursive: true })
    await page.screenshot({ path: join(PICTURES, `${width}-${theme}-${name}.png`) })
  }
  const faults = await layoutFaults(page)
  const shift = await layoutShift(page)
  expect({ name, faults, isCalm: shift < 0.02, shift: shift < 0.02 ? 0 : shift }).toEqual({
    ...{ name, faults: [], isCalm: true, shift: 0 },
  })
}

/** Clicks the position of an element in the previewed page, even if it is covered. */
async function clickIn(page: Page, frame: FrameLocator, selector: string): Promise<void> {
  const box = await frame.locator(selector).boundingBox()
  if (!box) throw new Error(`${selector} isn't shown.`)
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
}
