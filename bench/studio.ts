import type { Browser, Page } from "playwright-core"
import { executablePath, launchChromium } from "../tests/browser/harness/chromium.ts"
import { logOf, longSession, MANY } from "../tests/browser/harness/long.ts"
import { openPlace, type Place } from "../tests/browser/harness/place.ts"
import { buildStudio, STUDIO_FOLDER } from "../tests/browser/harness/suite.ts"
import { words } from "./long-session.ts"
import { type Line, median, type NotMeasured, type Question } from "./measure.ts"
import { signal } from "./stage.ts"
import { studioFiles } from "./studio-files.ts"

const ROUNDS = 3
const BURST = 2000
const LONG_TASK_US = 50_000
/** A phone of some years ago, on a bad day. */
const SLOW = { cpu: 4, bitsPerSecond: 1_600_000, latencyMs: 150 }

export const studio: Question = {
  asks: "What does the studio make a browser load, and what does it cost it to show a long session?",
  async answer() {
    buildStudio()
    const files = studioFiles(STUDIO_FOLDER)
    if (!executablePath) return [...files, { what: "pages", reason: "there is no Chromium" } satisfies NotMeasured]
    await using place = await openPlace()
    const browser = await launchChromium()
    try {
      const long = await longSession(place)
      return [...files, ...(await firstPaint(browser, place)), ...(await shown(browser, place, long))]
    } finally {
      await browser.close()
    }
  },
}

/** Until the largest thing on the page stands there. */
async function firstPaint(browser: Browser, place: Place): Promise<Line[]> {
  const quick = await times(() => largestPaint(browser, place, { slow: false }))
  const slow = await times(() => largestPaint(browser, place, { slow: true }))
  return [
    {
      what: "home, until its largest part is painted",
      value: median(quick),
      unit: "ms",
      target: { of: "value", atMost: 600 },
    },
    {
      what: "the same at a quarter of the speed and 1.6 Mbit/s",
      value: median(slow),
      unit: "ms",
      target: { of: "value", atMost: 1800 },
    },
  ]
}

/** A session of some thousand events is opened, and as many again come in while it is looked at. */
async function shown(browser: Browser, place: Place, id: string): Promise<Line[]> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" })
  const page = await context.newPage()
  const opening = await cpuOfLongTasks(browser, page, async () => {
    await page.goto(`${place.url}/s/${id}/run`)
    await at(page, MANY)
  })
  await page.locator("#agent-logs").getByLabel("details").check()
  await page.locator("#agent-logs [data-seq]").first().waitFor()
  const session = await logOf(place, id)
  const coming = await cpuOfLongTasks(browser, page, async () => {
    for (let said = 0; said < BURST; said += 50) {
      await session.decide(() => Array.from({ length: 50 }, () => words(1)), { signal })
    }
    await at(page, MANY + BURST)
  })
  const rows = await page.locator("#agent-logs *").count()
  const nodes = await page.locator("*").count()
  await context.close()
  const events = MANY.toLocaleString("en")
  return [
    {
      what: `${events} events opened: tasks of 50 ms and more, by the processor's clock`,
      value: opening.count,
      unit: "times",
      target: { of: "value", atMost: 12 },
    },
    { what: `${events} events opened: the longest of them`, value: opening.longestMs, unit: "ms" },
    {
      what: `${BURST} more come in: tasks of 50 ms and more, by the processor's clock`,
      value: coming.count,
      unit: "times",
      target: { of: "value", atMost: 4 },
    },
    {
      what: `${BURST} more come in: the longest of them`,
      value: coming.longestMs,
      unit: "ms",
      target: { of: "value", atMost: 100 },
    },
    { what: "nodes of the log then, with details", value: rows, unit: "times", target: { of: "value", atMost: 600 } },
    { what: "nodes of the page then", value: nodes, unit: "times", target: { of: "value", atMost: 2500 } },
  ]
}

async function largestPaint(browser: Browser, place: Place, { slow }: { slow: boolean }): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  if (slow) {
    const cdp = await context.newCDPSession(page)
    await cdp.send("Emulation.setCPUThrottlingRate", { rate: SLOW.cpu })
    const bytes = SLOW.bitsPerSecond / 8
    await cdp.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: SLOW.latencyMs,
      downloadThroughput: bytes,
      uploadThroughput: bytes,
    })
  }
  await page.goto(place.url)
  await page.getByRole("heading", { level: 1 }).waitFor()
  const painted = await page.evaluate(
    () =>
      new Promise<number>((resolve) =>
        new PerformanceObserver((list) => resolve(list.getEntries().at(-1)?.startTime ?? Number.NaN)).observe({
          type: "largest-contentful-paint",
          buffered: true,
        }),
      ),
  )
  await context.close()
  return painted
}

/** The page's long tasks meanwhile. By the processor's clock: whoever else is at the machine doesn't count. */
async function cpuOfLongTasks(browser: Browser, page: Page, work: () => Promise<void>) {
  await browser.startTracing(page, { categories: ["toplevel", "__metadata"] })
  await work()
  const { traceEvents }: { traceEvents: TraceEvent[] } = JSON.parse((await browser.stopTracing()).toString("utf8"))
  const main = new Set(
    traceEvents.flatMap(({ name, args, pid, tid }) =>
      name === "thread_name" && args?.name === "CrRendererMain" ? [`${pid} ${tid}`] : [],
    ),
  )
  const long = traceEvents.flatMap(({ name, pid, tid, tdur = 0 }) =>
    name.endsWith("RunTask") && main.has(`${pid} ${tid}`) && tdur >= LONG_TASK_US ? [tdur / 1000] : [],
  )
  return { count: long.length, longestMs: Math.max(0, ...long) }
}

interface TraceEvent {
  name: string
  pid: number
  tid: number
  /** Microseconds of the thread's own time. */
  tdur?: number
  args?: { name?: string }
}

/** Waits until the run line is at an event. */
async function at(page: Page, seq: number): Promise<void> {
  await page.waitForFunction(
    (wanted) => document.querySelector<HTMLInputElement>('input[aria-label="Moment"]')?.value === wanted,
    String(seq),
    { timeout: 60_000 },
  )
}

async function times(measure: () => Promise<number>): Promise<number[]> {
  const found: number[] = []
  for (let round = 0; round < ROUNDS; round++) found.push(await measure())
  return found
}
