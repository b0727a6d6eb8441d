import { setTimeout as sleep } from "node:timers/promises"
import type { NewEvent } from "@switchyard/core/events"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import { CHAT_AGENT } from "@switchyard/core/work/chat/schema"
import type { Page } from "playwright-core"
import { executablePath, launchChromium } from "../tests/browser/harness/chromium.ts"
import { logOf } from "../tests/browser/harness/long.ts"
import { openPlace } from "../tests/browser/harness/place.ts"
import { buildStudio } from "../tests/browser/harness/studio.ts"
import { fillChat, lastWordOf, wholeTurn } from "./long-chat.ts"
import { type Line, percentile, type Question, type Unit } from "./measure.ts"
import { signal } from "./stage.ts"
import { framesSeen, type LongTasks, longTasks, slowDown, watchFrames } from "./studio-trace.ts"

const MESSAGES = 500
const TURNS = MESSAGES / 2
const WHEELS = { turns: 240, everyMs: 25, pixels: 900 }
const SETTLES_MS = 200
const STREAM = { pieces: 120, everyMs: 50 }

export const studioChat: Question = {
  asks: "How does a chat of 500 messages scroll, and how does it take an answer and keys meanwhile?",
  async answer() {
    if (!executablePath) return [{ what: "pages", reason: "there is no Chromium" }]
    buildStudio()
    await using place = await openPlace()
    const browser = await launchChromium()
    try {
      const lines: Line[] = []
      for (const isSlow of [false, true]) {
        const id = await place.session()
        const session = await logOf(place, id)
        await fillChat(session, TURNS)
        const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" })
        const page = await context.newPage()
        await page.goto(`${place.url}/s/${id}/chat`)
        await showAll(page)
        if (isSlow) await slowDown(page)
        const measured = (work: () => Promise<void>) => longTasks(browser, page, work)
        const where = isSlow ? "at a quarter of the speed, " : ""
        lines.push(...(await scrolled(page, measured, where)), ...(await answered(page, session, measured, where)))
        await context.close()
      }
      return lines
    } finally {
      await browser.close()
    }
  },
}

type Measure = (work: () => Promise<void>) => Promise<LongTasks>

/** Scrolls from the first message to the last and back with the wheel. */
async function scrolled(page: Page, measured: Measure, where: string): Promise<Line[]> {
  await conversation(page).hover()
  await watchFrames(page)
  const tasks = await measured(async () => {
    for (let turn = 0; turn < WHEELS.turns; turn++) {
      const isDown = turn % (WHEELS.turns / 2) < WHEELS.turns / 4
      await page.mouse.wheel(0, isDown ? WHEELS.pixels : -WHEELS.pixels)
      await sleep(WHEELS.everyMs)
    }
  })
  const { droppedPercent } = await framesSeen(page)
  const isQuick = where === ""
  return [
    line(`${where}scrolled by the wheel: frames that were not painted, of a hundred`, droppedPercent, "times"),
    line(`${where}scrolled by the wheel: tasks of 50 ms and more`, tasks.count, "times", isQuick ? 4 : undefined),
    line(`${where}scrolled by the wheel: the longest of them`, tasks.longestMs, "ms", isQuick ? 100 : undefined),
  ]
}

/** Measures an answer that arrives at the end while its reader types the next message. */
async function answered(page: Page, session: SessionLog, measured: Measure, where: string): Promise<Line[]> {
  const run = { run_id: `run_${"9".repeat(26)}`, agent_id: CHAT_AGENT }
  await conversation(page).press("End")
  const [created, asked] = wholeTurn(TURNS, run.run_id)
  await say(
    session,
    [created, asked].filter((event) => event !== undefined),
  )
  await say(session, [{ type: "run_claimed", ...run, generation: 1, executor: "bench" }])
  await page.getByRole("button", { name: "Stop" }).waitFor()
  const field = page.getByRole("textbox", { name: "Message" })
  await field.focus()
  await watchFrames(page)
  const tasks = await measured(async () => {
    for (let piece = 0; piece < STREAM.pieces; piece++) {
      const text = pieceOf(piece)
      await say(session, [{ type: "model_text", ...run, text, lengths: [text.length] }])
      await page.keyboard.press("a")
      await sleep(STREAM.everyMs)
    }
    await conversation(page)
      .getByText(lastWordOf(STREAM.pieces - 1))
      .waitFor()
  })
  const { droppedPercent, keysMs } = await framesSeen(page)
  const asks = new Set<string>()
  page.on("request", (request) => request.url().includes("/chat") && asks.add(request.url()))
  const end = await measured(async () => {
    await say(session, wholeTurn(TURNS, run.run_id).slice(2))
    await page.getByRole("button", { name: "Send" }).waitFor()
    await page.waitForLoadState("networkidle")
  })
  const isQuick = where === ""
  return [
    line(`${where}while an answer comes in: frames that were not painted, of a hundred`, droppedPercent, "times"),
    line(`${where}while an answer comes in: tasks of 50 ms and more`, tasks.count, "times", isQuick ? 4 : undefined),
    line(`${where}while an answer comes in: the longest of them`, tasks.longestMs, "ms", isQuick ? 100 : undefined),
    // The measure is CPU time, so the result doesn't depend on other load on the machine.
    line(
      `${where}while an answer comes in: the main thread's time for a piece and a key`,
      tasks.busyMs / STREAM.pieces,
      "ms",
    ),
    line(
      `${where}while an answer comes in: a key until it shows, p95`,
      percentile([16, ...keysMs], 95),
      "ms",
      isQuick ? 100 : undefined,
    ),
    line(`${where}as the turn ends: the longest task`, end.longestMs, "ms", isQuick ? 100 : undefined),
    line(`${where}as the turn ends: different addresses that are asked`, asks.size, "times"),
  ]
}

/** Loads the conversation back to its first message. */
async function showAll(page: Page): Promise<void> {
  const earlier = page.getByRole("button", { name: "Show earlier messages" })
  await conversation(page)
    .getByText(lastWordOf(TURNS - 1))
    .first()
    .waitFor()
  await conversation(page).hover()
  for (let pages = 1; pages < MESSAGES / 100; pages++) {
    // Measuring the rows makes the list grow, so one turn of the wheel may not reach its top. The list settles only
    // between turns.
    while (!(await earlier.isVisible())) {
      await page.mouse.wheel(0, -5000)
      await sleep(SETTLES_MS)
    }
    await Promise.all([page.waitForResponse(/\/chat\?before=/), earlier.click()])
  }
  await earlier.waitFor({ state: "detached" })
}

function conversation(page: Page) {
  return page.getByRole("log", { name: "Conversation" })
}

function pieceOf(piece: number): string {
  const sentence = `The **lease** of turn ${piece} is a hint, and \`renew\` writes it. `
  return `${sentence}${lastWordOf(piece)}${piece % 6 === 5 ? "\n\n" : " "}`
}

async function say(session: SessionLog, events: NewEvent[]): Promise<void> {
  await session.decide(() => events, { signal })
}

function line(what: string, value: number, unit: Unit, atMost?: number): Line {
  return { what, value, unit, target: atMost === undefined ? undefined : { of: "value", atMost } }
}
