import { setTimeout as sleep } from "node:timers/promises"
import { commitChanges } from "@switchyard/core/files/workspaces/commit"
import { workspacePath } from "@switchyard/core/files/workspaces/path"
import type { Browser, Page } from "playwright-core"
import { executablePath, launchChromium } from "../tests/browser/harness/chromium.ts"
import { logOf } from "../tests/browser/harness/long.ts"
import { openPlace, type Place } from "../tests/browser/harness/place.ts"
import { buildStudio } from "../tests/browser/harness/studio.ts"
import type { Line, Question, Unit } from "./measure.ts"
import { signal } from "./stage.ts"
import { framesSeen, heldMegabytes, longTasks, slowDown, watchFrames } from "./studio-trace.ts"

const FILES = 10_000
const IN_A_FOLDER = 400
const WHEELS = { turns: 120, everyMs: 25, pixels: 900 }
const WORD = "file-123"

export const studioTree: Question = {
  asks: `How do the studio's files take a session of ${FILES.toLocaleString("en")}, in the tree and where a chat's are selected?`,
  async answer() {
    if (!executablePath) return [{ what: "pages", reason: "there is no Chromium" }]
    buildStudio()
    await using place = await openPlace()
    const [few, many] = [await projectOf(place, 10), await projectOf(place, FILES)]
    const browser = await launchChromium()
    try {
      const lines: Line[] = []
      for (const isSlow of [false, true]) {
        for (const screen of [tree, selection]) lines.push(...(await screen(browser, place, { few, many, isSlow })))
      }
      return lines
    } finally {
      await browser.close()
    }
  },
}

interface Sessions {
  /** ID of a session with ten files, for comparison. */
  few: string
  many: string
  isSlow: boolean
}

/** Measures the tree of the session's files: opening it, scrolling, and moving by keys. */
async function tree(browser: Browser, place: Place, sessions: Sessions): Promise<Line[]> {
  const shown = (page: Page) => page.getByRole("treeitem").first().waitFor()
  const { page, lines, line } = await opened(browser, place, { ...sessions, screen: "files", shown })
  const folder = page.getByRole("treeitem", { name: "folder-1", exact: true })
  await folder.hover()
  const scrolled = await scroll(browser, page)
  lines.push(line("tree, scrolled: frames that were not painted, of a hundred", scrolled.dropped, "times"))
  lines.push(line("tree, scrolled: the longest task", scrolled.longestMs, "ms", 100))
  await page.getByRole("treeitem").nth(3).focus()
  const walked = await longTasks(browser, page, async () => {
    for (let key = 0; key < 40; key++) await page.keyboard.press("ArrowDown")
  })
  lines.push(line("tree, a key down: the main thread's time", walked.busyMs / 40, "ms", 16))
  await page.context().close()
  return lines
}

/** Measures the files of a chat: opening, scrolling, filtering and selecting them. */
async function selection(browser: Browser, place: Place, sessions: Sessions): Promise<Line[]> {
  const shown = (page: Page) => list(page).getByRole("checkbox").first().waitFor()
  const { page, lines, line } = await opened(browser, place, { ...sessions, screen: "chat", shown })
  await list(page).getByRole("checkbox").first().hover()
  const scrolled = await scroll(browser, page)
  lines.push(line("selection, scrolled: frames that were not painted, of a hundred", scrolled.dropped, "times"))
  lines.push(line("selection, scrolled: the longest task", scrolled.longestMs, "ms", 100))
  const filter = list(page).getByRole("searchbox")
  await filter.focus()
  const filtered = await longTasks(browser, page, async () => {
    for (const key of WORD) await page.keyboard.press(key)
    await list(page)
      .getByRole("checkbox", { name: `/${WORD}.ts` })
      .first()
      .waitFor()
  })
  lines.push(line("selection, a key of the filter: the main thread's time", filtered.busyMs / WORD.length, "ms", 16))
  lines.push(line("selection, a key of the filter: the longest task", filtered.longestMs, "ms", 100))
  await filter.fill("")
  const field = page.getByRole("textbox", { name: "Message" })
  await field.focus()
  const typed = await longTasks(browser, page, async () => {
    for (let key = 0; key < 40; key++) await page.keyboard.press("a")
  })
  lines.push(line("selection, a key of the message beside it: the main thread's time", typed.busyMs / 40, "ms", 16))
  await page.context().close()
  return lines
}

function list(page: Page) {
  return page.getByRole("region", { name: "Files", exact: true })
}

/** Opens a screen of the small session, then of the large one. Returns the large one's page and its figures. */
async function opened(
  browser: Browser,
  place: Place,
  { few, many, isSlow, screen, shown }: Sessions & { screen: string; shown(page: Page): Promise<void> },
) {
  const where = isSlow ? "at a quarter of the speed, " : ""
  const what = screen === "files" ? "tree" : "selection"
  const line = (text: string, value: number, unit: Unit, atMost?: number): Line => ({
    ...{ what: `${where}${text}`, value, unit },
    ...(atMost !== undefined && !isSlow && { target: { of: "value", atMost } }),
  })
  const open = async (id: string) => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" })
    const page = await context.newPage()
    if (isSlow) await slowDown(page)
    let paintedMs = 0
    const tasks = await longTasks(browser, page, async () => {
      await page.goto(`${place.url}/s/${id}/${screen}`)
      await shown(page)
      paintedMs = await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)))
    })
    return { page, tasks, paintedMs, held: await heldMegabytes(page) }
  }
  const small = await open(few)
  await small.page.context().close()
  const large = await open(many)
  const compared = (text: string, of: (one: typeof large) => number, unit: Unit): Line => {
    const [value, baseline] = [of(large), of(small)]
    return {
      ...{ what: `${where}${what}, ${text}`, value, unit, ratio: value / baseline },
      baseline: { what: "with 10 files", value: baseline },
    }
  }
  const lines: Line[] = [
    compared("until the first row is painted", ({ paintedMs }) => paintedMs, "ms"),
    compared("until then: the main thread's time", ({ tasks }) => tasks.busyMs, "ms"),
    line(`${what}, until then: the longest task`, large.tasks.longestMs, "ms", 100),
    compared("what the page's JavaScript holds then", ({ held }) => held, "MB"),
  ]
  return { page: large.page, lines, line }
}

async function scroll(browser: Browser, page: Page): Promise<{ dropped: number; longestMs: number }> {
  await watchFrames(page)
  const { longestMs } = await longTasks(browser, page, async () => {
    for (let turn = 0; turn < WHEELS.turns; turn++) {
      await page.mouse.wheel(0, turn < WHEELS.turns / 2 ? WHEELS.pixels : -WHEELS.pixels)
      await sleep(WHEELS.everyMs)
    }
  })
  return { dropped: (await framesSeen(page)).droppedPercent, longestMs }
}

/** Creates a session with this many small files, `IN_A_FOLDER` per folder. */
async function projectOf(place: Place, count: number): Promise<string> {
  const id = await place.session()
  const changes = Array.from({ length: count }, (_, at) => ({
    ...{ op: "write" as const, bytes: Buffer.from(`export const file${at} = ${at}\n`) },
    path: workspacePath(`folder-${Math.floor(at / IN_A_FOLDER) + 1}/file-${at}.ts`),
  }))
  await commitChanges(place.server.stores, await logOf(place, id), changes, { signal })
  return id
}
