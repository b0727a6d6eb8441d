import type { NewEvent } from "@switchyard/core/events"
import type { Page } from "playwright-core"
import { afterEach, beforeEach, expect, it } from "vitest"
import { logOf } from "./harness/long.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { onRunScreen } from "./harness/screen.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

const signal = new AbortController().signal

inChromium("the log", ({ visit }) => {
  let place: Place
  let id: string
  beforeEach(async () => {
    place = await openPlace()
    id = await place.session()
    await say(40)
  })
  afterEach(() => place[Symbol.asyncDispose]())

  it("follows its end until its reader scrolls further from it than 48 px, and says how much is new", async () => {
    await using visitor = await visit(`${place.url}/s/${id}/run?show=log`, { height: 700 })
    const { page } = visitor
    const { log } = onRunScreen(page)
    await log.getByText("Following").waitFor()
    await until(() => fromEnd(page)).toBeLessThan(3)

    // Scrolling up by 40 px doesn't stop the list from following its end.
    const first = await rowCount(page)
    await scrollBy(page, -40)
    await until(() => fromEnd(page)).toBeGreaterThan(20)
    await say(1)
    await until(() => rowCount(page)).toBe(first + 2)
    await until(() => fromEnd(page)).toBeLessThan(3)

    await scrollBy(page, -200)
    await log.getByText("Paused").waitFor()
    await until(() => fromEnd(page)).toBe(200)
    const at = await scrollTop(page)
    const before = await rowCount(page)
    await say(3)
    await until(() => rowCount(page)).toBeGreaterThan(before + 2)
    await log.getByRole("button", { name: `${(await rowCount(page)) - before} new` }).waitFor()
    expect(await scrollTop(page)).toBe(at)

    await log.getByRole("button", { name: /new/ }).click()
    await until(() => fromEnd(page)).toBeLessThan(3)
    await log.getByText("Following").waitFor()
  })

  it("follows again when its reader comes back to its end", async () => {
    await using visitor = await visit(`${place.url}/s/${id}/run?show=log`, { height: 700 })
    const { page } = visitor
    const { log } = onRunScreen(page)
    await until(() => fromEnd(page)).toBeLessThan(3)
    await scrollBy(page, -300)
    await log.getByText("Paused").waitFor()
    await scrollBy(page, 270)
    await log.getByText("Following").waitFor()
  })

  it("never moves a reader who scrolls up, however fast rows come in meanwhile", async () => {
    await using visitor = await visit(`${place.url}/s/${id}/run?show=log`, { height: 700 })
    const { page } = visitor
    const { log } = onRunScreen(page)
    await until(() => fromEnd(page)).toBeLessThan(3)
    const done = new AbortController()
    const pouring = (async () => {
      while (!done.signal.aborted) await say(5)
    })()
    const before = await rowCount(page)
    await until(() => rowCount(page)).toBeGreaterThan(before + 30)
    await until(() => fromEnd(page)).toBeLessThan(3)

    await scroller(page).hover()
    await watchTopRow(page)
    for (let turn = 0; turn < 6; turn++) await page.mouse.wheel(0, -120)
    await log.getByText("Paused").waitFor()
    const held = await rowCount(page)
    await until(() => rowCount(page)).toBeGreaterThan(held + 60)
    done.abort()
    await pouring
    const rows = await topRows(page)
    // Over the first 48 px the list still follows its end, even if only for a few rows.
    const seen = rows.slice(rows.indexOf(Math.max(...rows)))
    // The first row only ever moves up: the list never goes back to a later row.
    expect(seen.length).toBeGreaterThan(1)
    expect(seen).toEqual(seen.toSorted((a, b) => b - a))
    // Six turns of the wheel move 20 rows. Those of the first 48 px may be undone while the list still follows.
    expect((seen[0] ?? 0) - (seen.at(-1) ?? 0)).toBeGreaterThan(15)
  })

  /** Appends this many runs, each two rows of the log. */
  async function say(runs: number): Promise<void> {
    const session = await logOf(place, id)
    const before = session.state.head
    for (let run = 0; run < runs; run++) {
      const of = { run_id: `run_${String(before + run).padStart(26, "0")}`, agent_id: "main" }
      const input = { user_prompt: "Make it.", recursion_limit: 100 }
      const events: NewEvent[] = [
        { type: "run_created", ...of, kind: "workflow", model: "scripted/test", input },
        { type: "run_completed", ...of, duration_ms: 1000, workspace_version: 0 },
      ]
      await session.decide(() => events, { signal })
    }
  }
})

function scroller(page: Page) {
  return onRunScreen(page).log.getByRole("log")
}

async function rowCount(page: Page): Promise<number> {
  const shown = /([\d,]+) entries/.exec(await onRunScreen(page).log.innerText())?.[1]
  return Number(shown?.replaceAll(",", ""))
}

/** Records the first visible row each time it changes. */
async function watchTopRow(page: Page): Promise<void> {
  await scroller(page).evaluate((list) => {
    const seen: number[] = []
    Object.assign(window, { seenRows: seen })
    const look = () => {
      const { top } = list.getBoundingClientRect()
      const rows = [...list.querySelectorAll<HTMLElement>("[data-seq]")]
      const first = rows
        .filter((row) => row.getBoundingClientRect().bottom > top + 1)
        .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)[0]
      const seq = Number(first?.dataset.seq)
      if (first && seq !== seen.at(-1)) seen.push(seq)
      requestAnimationFrame(look)
    }
    // Recording starts with the first turn of the wheel: before that, the list follows its end.
    list.addEventListener("wheel", () => requestAnimationFrame(look), { once: true, passive: true })
  })
}

function topRows(page: Page): Promise<number[]> {
  return page.evaluate(() => (window as unknown as { seenRows: number[] }).seenRows)
}

function scrollTop(page: Page): Promise<number> {
  return scroller(page).evaluate((list) => list.scrollTop)
}

function fromEnd(page: Page): Promise<number> {
  return scroller(page).evaluate((list) => list.scrollHeight - list.clientHeight - list.scrollTop)
}

async function scrollBy(page: Page, px: number): Promise<void> {
  await scroller(page).hover()
  await page.mouse.wheel(0, px)
}
