import type { Browser, Page } from "playwright-core"
import { logOf } from "../tests/browser/harness/long.ts"
import type { Place } from "../tests/browser/harness/place.ts"
import { words } from "./long-session.ts"
import { type Line, median, timed } from "./measure.ts"
import { signal } from "./stage.ts"
import { at } from "./studio-moment.ts"
import { type LongTasks, longTasks } from "./studio-trace.ts"

const ROUNDS = 3
const BURST = 5000
const WRITTEN_AT_ONCE = 250

/** The cost to an open page of `BURST` events that are written as fast as the log accepts them. */
export interface Bursts extends Pick<LongTasks, "count" | "longestMs" | "busyMs"> {
  /** Time from the last event until it is shown. */
  settledMs: number
}

/** Measures a burst on a page that receives a message per event, like a client that doesn't request batches. */
export async function burstsWithoutBatches(browser: Browser, place: Place, id: string, url: string): Promise<Bursts> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" })
  const page = await context.newPage()
  await page.addInitScript(() => {
    const Socket = WebSocket
    window.WebSocket = class extends Socket {
      constructor(url: string | URL) {
        super(String(url).replace("batch=true", ""))
      }
    }
  })
  await page.goto(url)
  await page.locator("#agent-logs").getByLabel("details").check()
  await page.locator("#agent-logs [data-seq]").first().waitFor()
  const found = await burstsOn(browser, place, id, page)
  await context.close()
  return found
}

export function burstLines(batched: Bursts, single: Bursts): Line[] {
  const what = `${BURST.toLocaleString("en")} at once`
  const baseline = (value: number) => ({ what: "with a message for each", value })
  return [
    {
      what: `${what}: tasks of 50 ms and more`,
      value: batched.count,
      unit: "times",
      target: { of: "value", atMost: 6 },
    },
    {
      what: `${what}: the longest of them`,
      value: batched.longestMs,
      unit: "ms",
      target: { of: "value", atMost: 100 },
    },
    {
      what: `${what}: from the last until it shows`,
      value: batched.settledMs,
      unit: "ms",
      baseline: baseline(single.settledMs),
      target: { of: "value", atMost: 400 },
    },
    {
      what: `${what}: the page's thread is busy with them for`,
      value: batched.busyMs,
      unit: "ms",
      baseline: baseline(single.busyMs),
      ratio: batched.busyMs / single.busyMs,
      target: { of: "ratio", atMost: 0.85 },
    },
  ]
}

export async function burstsOn(browser: Browser, place: Place, id: string, page: Page): Promise<Bursts> {
  const session = await logOf(place, id)
  const rounds: Bursts[] = []
  for (let round = 0; round < ROUNDS; round++) {
    await at(page, session.state.head)
    let settledMs = 0
    const tasks = await longTasks(browser, page, async () => {
      for (let said = 0; said < BURST; said += WRITTEN_AT_ONCE) {
        await session.decide(() => Array.from({ length: WRITTEN_AT_ONCE }, () => words(1)), { signal })
      }
      settledMs = await timed(() => at(page, session.state.head))
    })
    rounds.push({ ...tasks, settledMs })
  }
  const medianOf = (pick: (round: Bursts) => number) => median(rounds.map(pick))
  return {
    count: medianOf(({ count }) => count),
    longestMs: medianOf(({ longestMs }) => longestMs),
    busyMs: medianOf(({ busyMs }) => busyMs),
    settledMs: medianOf(({ settledMs }) => settledMs),
  }
}
