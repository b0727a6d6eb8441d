import { EventPage } from "@switchyard/core/sessions/schema"
import type { Page } from "playwright-core"
import { afterEach, beforeEach, expect, it } from "vitest"
import { inlined, type StudioEvent, toEvent } from "../../packages/web/src/session/stream/event.ts"
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
  const eventsOf = async (id: string) =>
    EventPage.parse(await place.ask("GET", `/api/v1/sessions/${id}/events?tail=1000`)).events.map(toEvent)
  const versionOf = async (id: string) => (await place.ask("GET", `/api/v1/sessions/${id}`)).file_count

  it("grow in the editor before they are saved, with their end in sight, and stay when they are", async () => {
    const hold = place.director.holdWithin("a.ts")
    const id = await place.session()
    await using visitor = await visit(`${place.url}/s/${id}/run?show=code`)
    const { page } = visitor
    const screen = onRunScreen(page)
    await screen.ask("Two files.")
    await hold.reached
    // The editor follows the end of the text, so its first lines are out of view.
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
    // A reader who has scrolled stays at that position in this file while the next file is written.
    await next.reached
    await until(() => screen.file("b.ts").innerText()).toContain("Writing")
    expect(await editor(page).innerText()).toContain("line5 =")
    next.release()
    await screen.finished()
    expect(await editor(page).innerText()).toContain("line5 =")
    expect(await versionOf(id)).toBe(2)
  })

  it("show an edit growing at its place, which is in sight, with the rest of the file around it", async () => {
    const id = await place.session({ built: true })
    const added = Array.from({ length: 60 }, (_, at) => `export const added${at} = ${at}`).join("\n")
    place.director.edit("a.ts", [{ search: "export const line500 = 500", replace: `${added}\nexport const last = 1` }])
    const hold = place.director.holdWithin("a.ts")
    await using visitor = await visit(`${place.url}/s/${id}/run?show=code`)
    const { page } = visitor
    const screen = onRunScreen(page)
    await screen.finished()
    await screen.file("a.ts").click()
    await until(() => editor(page).innerText()).toContain("line5 = 5")
    await place.run(id, "More lines.")
    await hold.reached
    await until(() => editor(page).innerText()).toMatch(/added\d+ = \d+/)
    expect(await editor(page).innerText()).toContain("line501 = 501")
    expect(await editor(page).innerText()).not.toContain("line500 = 500")
    expect(await editor(page).getAttribute("aria-readonly")).toBe("true")
    expect(await versionOf(id)).toBe(2)
    hold.release()
    await screen.finished()
    await until(() => editor(page).innerText()).toContain("const last = 1")
    await until(() => editor(page).getAttribute("aria-readonly")).not.toBe("true")
  })

  it("are shown from the start of their lines once they are saved", async () => {
    place.director.build({ "a.ts": `export const a = "${"word ".repeat(2000)}"` })
    const hold = place.director.holdWithin("a.ts")
    const id = await place.session()
    await using visitor = await visit(`${place.url}/s/${id}/run?show=code`)
    const { page } = visitor
    const screen = onRunScreen(page)
    const scrolledRight = () => page.locator("#agent-editor .cm-scroller").evaluate(({ scrollLeft }) => scrollLeft)
    await screen.ask("A long line.")
    await hold.reached
    await until(scrolledRight).toBeGreaterThan(1000)
    hold.release()
    await screen.finished()
    await until(scrolledRight).toBe(0)
  })

  it("leave unsaved text alone, and ask about it when they are saved", async () => {
    const id = await place.session({ built: true })
    place.director.build({ "a.ts": "export const a = 2\n", "b.ts": FILES["a.ts"] })
    const hold = place.director.holdWithin("b.ts")
    await using visitor = await visit(`${place.url}/s/${id}/run?show=code`)
    const { page } = visitor
    const screen = onRunScreen(page)
    await screen.finished()
    await screen.file("b.ts").click()
    await until(() => editor(page).innerText()).toContain("const b = 1")
    await editor(page).click()
    await page.keyboard.press("Control+End")
    await page.keyboard.type("// mine")
    await place.run(id, "Two.")
    await hold.reached
    // The page has received all events, and has drawn them.
    await until(async () => (await eventsOf(id)).findLast(({ type }) => type === "file_text")).toMatchObject({
      path: "b.ts",
    })
    const seq = (await eventsOf(id)).at(-1)?.seq
    await until(screen.position).toBe(`${seq}/${seq}`)
    expect(await editor(page).innerText()).toContain("// mine")
    expect(await editor(page).getAttribute("aria-readonly")).not.toBe("true")
    hold.release()
    await screen.finished()
    await page.locator("#agent-editor").getByText("This file was changed elsewhere").waitFor()
    expect(await editor(page).innerText()).toContain("// mine")
    expect(await editor(page).innerText()).toContain("const b = 1")
  })

  it("are shown at an earlier moment as they were then, be it half", async () => {
    const id = await place.session({ built: true })
    const events = await eventsOf(id)
    const parts = events.filter((event) => event.type === "file_text" && event.path === "a.ts")
    const [half, saved] = [parts[Math.floor(parts.length / 2)], events.find((event) => saves(event, "a.ts"))]
    if (half?.type !== "file_text" || !saved) throw new Error("The file wasn't written part by part.")
    const lastLine = `${FILES["a.ts"].slice(0, half.offset)}${half.text}`.split("\n").at(-2) ?? "nothing"
    await using visitor = await visit(`${place.url}/s/${id}/run?show=code`)
    const { page } = visitor
    const screen = onRunScreen(page)
    await screen.finished()
    await screen.file("a.ts").click()
    await until(() => editor(page).innerText()).toContain("line5 =")
    await screen.moment.fill(String(half.seq))
    // The end of the text at that moment is in view.
    await until(() => editor(page).innerText()).toContain(lastLine)
    expect(await editor(page).innerText()).not.toContain("line799 =")
    await screen.moment.fill(String(events[0]?.seq ?? 1))
    await until(() => editor(page).count()).toBe(0)
    await screen.moment.fill(String(saved.seq))
    await until(() => page.locator("#agent-editor").innerText()).toContain("line5 =")
  })
})

function saves(event: StudioEvent, path: string): boolean {
  return event.type === "workspace_committed" && inlined(event.changes)?.some((change) => change.path === path) === true
}
