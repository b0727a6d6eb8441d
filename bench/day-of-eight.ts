import { setTimeout as sleep } from "node:timers/promises"
import type { NewEvent } from "@switchyard/core/events"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { executablePath, launchChromium } from "../tests/browser/harness/chromium.ts"
import { logOf } from "../tests/browser/harness/long.ts"
import { openPlace, type Place } from "../tests/browser/harness/place.ts"
import { buildStudio } from "../tests/browser/harness/studio.ts"
import { AGENTS, createDay } from "./day-events.ts"
import { type Line, type NotMeasured, percentile, type Question, type Unit } from "./measure.ts"
import { signal } from "./stage.ts"
import { framesSeen, heldMegabytes, longTasks, watchFrames } from "./studio-trace.ts"

const DAY_SECONDS = 24 * 3600
/** Seconds of the day that one decision appends. */
const TOLD_SECONDS = 60
const WATCHED_SECONDS = 20
const EMPTY_SECONDS = 10

export const dayOfEight: Question = {
  asks: "What does it cost a browser to show a day of eight agents, each of which tells of something once a second?",
  async answer() {
    buildStudio()
    if (!executablePath) return [{ what: "the day", reason: "there is no Chromium" } satisfies NotMeasured]
    await using place = await openPlace()
    const browser = await launchChromium()
    try {
      return await watched(browser, place)
    } finally {
      await browser.close()
    }
  },
}

/** Measures a page that shows the agents all day, and then their last seconds in real time. */
async function watched(browser: Browser, place: Place): Promise<Line[]> {
  const id = await place.session()
  const session = await logOf(place, id)
  const day = createDay()
  await session.decide(() => day.arrivals(), { signal })
  const context = await browser.newContext({ viewport: { width: 1920, height: 1000 }, reducedMotion: "reduce" })
  const page = await context.newPage()
  await page.goto(`${place.url}/s/${id}/a/agent-1?beside=agent-2,agent-3`)
  await page.getByRole("heading").first().waitFor()
  for (let second = 0; second < DAY_SECONDS; second += TOLD_SECONDS) {
    const told = Array.from({ length: TOLD_SECONDS }, () => day.second()).flat()
    await session.decide(() => told, { signal })
  }
  await caughtUp(page, session)
  await watchFrames(page)
  const tasks = await longTasks(browser, page, () => atTheirPace(session, page, day))
  const { droppedPercent, keysMs } = await framesSeen(page)
  await caughtUp(page, session)
  const held = await heldMegabytes(page)
  const nodes = await page.locator("*").count()
  const idle = await framesOfNothing(context)
  await context.close()
  const events = session.state.head.toLocaleString("en")
  return [
    line(`${events} events of ${AGENTS} agents: memory`, held, "MB", 120),
    line("nodes of the page then", nodes, "times", 2500),
    line("one event a second and agent, at the end of the day: tasks of 50 ms and more", tasks.count, "times", 4),
    line("the longest of them", tasks.longestMs, "ms", 100),
    {
      ...line("frames that were not painted, of a hundred", droppedPercent, "times"),
      baseline: { what: "of an empty page, on this machine", value: idle },
    },
    line("a key until it shows, p95", percentile([16, ...keysMs], 95), "ms", 100),
  ]
}

/** Returns the percentage of frames that this machine doesn't paint on an empty page. */
async function framesOfNothing(context: BrowserContext): Promise<number> {
  const page = await context.newPage()
  await watchFrames(page)
  await sleep(EMPTY_SECONDS * 1000)
  return (await framesSeen(page)).droppedPercent
}

/** Appends a second's events every second, while the page switches from agent to agent. */
async function atTheirPace(session: SessionLog, page: Page, day: { second(): NewEvent[] }): Promise<void> {
  const begun = performance.now()
  for (let second = 1; second <= WATCHED_SECONDS; second++) {
    const told = day.second()
    await session.decide(() => told, { signal })
    await page.keyboard.press(second % 2 === 0 ? "j" : "k")
    await sleep(Math.max(0, begun + second * 1000 - performance.now()))
  }
}

/** Resolves once the page has the session's last event. */
async function caughtUp(page: Page, session: SessionLog): Promise<void> {
  await page.waitForFunction(
    (wanted) => document.querySelector<HTMLInputElement>('input[aria-label="Moment"]')?.value === wanted,
    String(session.state.head),
    { timeout: 600_000 },
  )
}

function line(what: string, value: number, unit: Unit, atMost?: number): Line {
  return { what, value, unit, target: atMost === undefined ? undefined : { of: "value", atMost } }
}
