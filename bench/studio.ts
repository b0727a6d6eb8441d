import { setTimeout as sleep } from "node:timers/promises"
import type { Browser, Page } from "playwright-core"
import { executablePath, launchChromium } from "../tests/browser/harness/chromium.ts"
import { logOf, longSession, MANY } from "../tests/browser/harness/long.ts"
import { openPlace, type Place } from "../tests/browser/harness/place.ts"
import { buildStudio, STUDIO_FOLDER } from "../tests/browser/harness/studio.ts"
import { words } from "./long-session.ts"
import { type Line, median, type NotMeasured, percentile, type Question, type Unit } from "./measure.ts"
import { signal } from "./stage.ts"
import { burstLines, burstsOn, burstsWithoutBatches } from "./studio-burst.ts"
import { studioFiles } from "./studio-files.ts"
import { liveTextInBrowser } from "./studio-live-text.ts"
import { at } from "./studio-moment.ts"
import { terminalInBrowser } from "./studio-terminal.ts"
import { framesSeen, heldMegabytes, largestPaint, longTasks, slowDown, watchFrames } from "./studio-trace.ts"

const ROUNDS = 3
const HELD = 50_000
const STREAM = { perSecond: 500, seconds: 10, batch: 10 }

export const studio: Question = {
  asks: "What does the studio make a browser load, and what does it cost it to show a long session?",
  async answer() {
    buildStudio()
    const files = studioFiles(STUDIO_FOLDER)
    if (!executablePath) return [...files, { what: "pages", reason: "there is no Chromium" } satisfies NotMeasured]
    await using place = await openPlace()
    const browser = await launchChromium()
    try {
      const id = await longSession(place)
      const home = await firstPaints(browser, { what: "home", url: place.url, atMostMs: { quick: 600, slow: 1800 } })
      const session = await firstPaints(browser, {
        what: `a session of ${MANY.toLocaleString("en")} events`,
        url: `${place.url}/s/${id}/run`,
        atMostMs: { slow: 2500 },
      })
      const long = await streamed(browser, place, id)
      const text = await liveTextInBrowser(browser, place)
      return [...files, ...home, ...session, ...long, ...text, ...(await terminalInBrowser(browser, place))]
    } finally {
      await browser.close()
    }
  },
}

interface Shown {
  what: string
  url: string
  atMostMs: { quick?: number; slow: number }
}

/** Measures the time until the page's largest part is painted, and how long tasks block the page meanwhile. */
async function firstPaints(browser: Browser, { what, url, atMostMs }: Shown): Promise<Line[]> {
  const quick = await times(() => opened(browser, url, async () => undefined))
  const slow = await times(() => opened(browser, url, slowDown))
  const paint = (rounds: Opened[]) => median(rounds.map(({ paintedMs }) => paintedMs))
  return [
    line(`${what}, until its largest part is painted`, paint(quick), "ms", atMostMs.quick),
    line(`${what}: tasks of 50 ms and more`, median(quick.map(({ tasks }) => tasks.count)), "times", 4),
    line("the same at a quarter of the speed and 1.6 Mbit/s", paint(slow), "ms", atMostMs.slow),
    line("and for how long tasks block it there", median(slow.map(({ tasks }) => tasks.blockingMs)), "ms", 200),
  ]
}

type Opened = Awaited<ReturnType<typeof opened>>

async function opened(browser: Browser, url: string, hinder: (page: Page) => Promise<void>) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  await hinder(page)
  const tasks = await longTasks(browser, page, async () => {
    await page.goto(url)
    await (url.includes("/s/") ? at(page, MANY) : page.getByRole("heading", { level: 1 }).waitFor())
    await page.waitForLoadState("networkidle").catch(() => undefined)
  })
  const paintedMs = await largestPaint(page)
  await context.close()
  return { paintedMs, tasks }
}

/** Measures a page that shows all of a session's events, while the same number arrives. */
async function streamed(browser: Browser, place: Place, id: string): Promise<Line[]> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" })
  const page = await context.newPage()
  const url = `${place.url}/s/${id}/run?show=log`
  await page.goto(url)
  await at(page, MANY)
  await page.locator("#agent-logs").getByLabel("details").check()
  await page.locator("#agent-logs [data-seq]").first().waitFor()
  const session = await logOf(place, id)
  const say = (count: number) => session.decide(() => Array.from({ length: count }, () => words(1)), { signal })

  await watchFrames(page)
  const steady = await longTasks(browser, page, async () => {
    const going = goAround(page)
    await steadily(say)
    await going
    await at(page, session.state.head)
  })
  const { droppedPercent, keysMs } = await framesSeen(page)

  const burst = await burstsOn(browser, place, id, page)
  await session.catchUp({ signal })
  while (session.state.head < HELD) await say(Math.min(500, HELD - session.state.head))
  await at(page, HELD)
  const held = await heldMegabytes(page)
  const rows = await page.locator("#agent-logs *").count()
  const nodes = await page.locator("*").count()
  await context.close()

  const rate = `${STREAM.perSecond} events a second for ${STREAM.seconds} s`
  return [
    line(`${rate}: tasks of 50 ms and more`, steady.count, "times", 4),
    line(`${rate}: the longest of them`, steady.longestMs, "ms", 100),
    line(`${rate}: frames that were not painted, of a hundred`, droppedPercent, "times"),
    line(`${rate}: a key until it shows, p95`, percentile([16, ...keysMs], 95), "ms", 100),
    ...burstLines(burst, await burstsWithoutBatches(browser, place, id, url)),
    line(`${HELD.toLocaleString("en")} events, nearly all come in while one looks: memory`, held, "MB", 60),
    line("nodes of the log then, with details", rows, "times", 600),
    line("nodes of the page then", nodes, "times", 2500),
  ]
}

/** Appends events at a constant rate, however long each append takes. */
async function steadily(say: (count: number) => Promise<unknown>): Promise<void> {
  const begun = performance.now()
  for (let said = 0; said < STREAM.perSecond * STREAM.seconds; said += STREAM.batch) {
    await say(STREAM.batch)
    await sleep(Math.max(0, begun + ((said + STREAM.batch) * 1000) / STREAM.perSecond - performance.now()))
  }
}

/** Moves the focus from region to region by key while events arrive. */
async function goAround(page: Page): Promise<void> {
  for (let step = 0; step < STREAM.seconds * 4; step++) {
    await page.keyboard.press("F6")
    await sleep(200)
  }
}

function line(what: string, value: number, unit: Unit, atMost?: number): Line {
  return { what, value, unit, target: atMost === undefined ? undefined : { of: "value", atMost } }
}

async function times<T>(measure: () => Promise<T>): Promise<T[]> {
  const found: T[] = []
  for (let round = 0; round < ROUNDS; round++) found.push(await measure())
  return found
}
