import type { Page } from "playwright-core"
import { afterEach, beforeEach, expect, it } from "vitest"
import { openPlace, type Place } from "./harness/place.ts"
import { onRunScreen } from "./harness/screen.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

const LINES = Array.from({ length: 800 }, (_, at) => `export const line${at} = ${at}`)
const FILES = { "a.ts": `${LINES.join("\n")}\n`, "b.ts": "export const b = 1\n" }

inChromium("files that are being written", ({ visit }) => {
  let place: Place
  beforeEach(async () => {
    place = await openPlace()
    place.director.build(FILES)
  })
  afterEach(() => place[Symbol.asyncDispose]())

  const editor = (page: Page) => page.locator("#agent-editor .cm-content")
  const versionOf = async (id: string) => (await place.ask("GET", `/api/v1/sessions/${id}`)).file_count

  it("grow in the editor before they are saved, with their end in sight, and stay when they are", async () => {
    const hold = place.director.holdWithin("a.ts")
    const id = await place.session()
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    const screen = onRunScreen(page)
    await screen.ask("Two files.")
    await hold.reached
    // Its first lines are above: the end is in sight.
    await until(() => editor(page).innerText()).toMatch(/line3[5-9]\d = /)
    expect(await editor(page).innerText()).not.toContain("line5 =")
    expect(await versionOf(id)).toBe(0)
    expect(await editor(page).getAttribute("aria-readonly")).toBe("true")
    await until(() => screen.file("a.ts").innerText()).toContain("Writing")

    await page.locator("#agent-editor .cm-scroller").hover()
    await page.mouse.wheel(0, -100_000)
    await until(() => editor(page).innerText()).toContain("line5 =")
    const next = place.director.hold("b.ts")
    hold.release()
    // The reader, who had scrolled, is left there, and in this file, whatever is written next.
    await next.reached
    await until(() => screen.file("b.ts").innerText()).toContain("Writing")
    expect(await editor(page).innerText()).toContain("line5 =")
    next.release()
    await screen.finished()
    expect(await editor(page).innerText()).toContain("line5 =")
    expect(await versionOf(id)).toBe(2)
  })
})
