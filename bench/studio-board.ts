import type { Browser, Page } from "playwright-core"
import { executablePath, launchChromium } from "../tests/browser/harness/chromium.ts"
import { openManySessions } from "../tests/browser/harness/many-sessions.ts"
import { openPlace } from "../tests/browser/harness/place.ts"
import { buildStudio } from "../tests/browser/harness/studio.ts"
import { type Line, percentile, type Question } from "./measure.ts"
import { largestPaint } from "./studio-trace.ts"

const MEASURED = 20
const SMALL = 10
const LARGE = 200

export const studioBoard: Question = {
  asks: "How soon is the board painted, how soon after its event is a question on it, and how long does a key in its filter take?",
  async answer() {
    if (!executablePath) return [{ what: "pages", reason: "there is no Chromium" }]
    buildStudio()
    const browser = await launchChromium()
    try {
      await using small = await openBoard(browser, SMALL)
      await using large = await openBoard(browser, LARGE)
      const waits = { small: [] as number[], large: [] as number[] }
      const keys = { small: [] as number[], large: [] as number[] }
      const paints = { small: [] as number[], large: [] as number[] }
      // The boards take turns, so that other load on the machine affects both.
      for (let n = 0; n < MEASURED; n++) {
        waits.small.push(await small.ask(n))
        waits.large.push(await large.ask(n))
        keys.small.push(await small.key())
        keys.large.push(await large.key())
      }
      for (let n = 0; n < MEASURED / 4; n++) {
        paints.small.push(await small.open())
        paints.large.push(await large.open())
      }
      return [
        line("home, until its largest part is painted", 50, paints),
        ...[50, 95].map((percent) => line("from a question's event to its card", percent, waits)),
        ...[50, 95].map((percent) => line("from a key in the filter to the screen", percent, keys)),
      ]
    } finally {
      await browser.close()
    }
  },
}

function line(what: string, percent: number, { small, large }: Record<"small" | "large", number[]>): Line {
  const [value, compared] = [percentile(large, percent), percentile(small, percent)]
  return {
    what: `${what}, with ${LARGE} sessions, p${percent}`,
    value,
    unit: "ms",
    baseline: { what: `with ${SMALL} sessions, p${percent}`, value: compared },
    ratio: value / compared,
    target: { of: "ratio", atMost: 4 },
  }
}

/** Opens a page with a board of this many sessions. One session asks a question. */
async function openBoard(browser: Browser, count: number) {
  const place = await openPlace()
  const many = openManySessions(place)
  await many.fill(count - 1)
  await many.begin("asking", "The session that asks")
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" })
  const page = await context.newPage()
  await page.goto(place.url)
  await page.locator('[data-card="asking"]').waitFor()
  return {
    async ask(n: number): Promise<number> {
      const text = `Question number ${n}?`
      const painted = page.evaluate(paintedAt, text)
      const askedAt = Date.now()
      await many.ask("asking", text, `que_${n}`)
      const shownAt = await painted
      await many.withdraw("asking", `que_${n}`)
      await page.getByText(text).first().waitFor({ state: "detached" })
      return shownAt - askedAt
    },
    /** Opens home in a new tab. Returns the milliseconds until its largest part is painted. */
    async open(): Promise<number> {
      const tab = await context.newPage()
      await tab.goto(place.url)
      await tab.locator('[data-card="asking"]').waitFor()
      const ms = await largestPaint(tab)
      await tab.close()
      return ms
    },
    async key(): Promise<number> {
      const ms = await keyTime(page, "p")
      await keyTime(page, "")
      return ms
    },
    async [Symbol.asyncDispose]() {
      await context.close()
      await place[Symbol.asyncDispose]()
    },
  }
}

/** Resolves to the time after the frame that painted a card with this text. */
function paintedAt(text: string): Promise<number> {
  return new Promise((resolve) => {
    const look = () => {
      const isShown = document.querySelector("[data-column]")?.textContent?.includes(text)
      requestAnimationFrame(isShown ? () => setTimeout(() => resolve(Date.now())) : look)
    }
    look()
  })
}

/** Returns the milliseconds from the filter's new text until the frame after it. */
function keyTime(page: Page, text: string): Promise<number> {
  return page.getByLabel("Filter by name, prompt or message").evaluate(async (field, text) => {
    const start = performance.now()
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field, text)
    field.dispatchEvent(new Event("input", { bubbles: true }))
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
    return performance.now() - start
  }, text)
}
