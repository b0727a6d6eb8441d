import type { Browser, Page } from "playwright-core"
import { onTerminal, withAgents } from "../tests/browser/harness/agents.ts"
import type { Place } from "../tests/browser/harness/place.ts"
import { type Line, median, percentile, timed } from "./measure.ts"
import { longTasks } from "./studio-trace.ts"

const FLOOD_BYTES = 10_000_000
const KEYS = 40
const ROUNDS = 7

/**
 * Measures the cost of an agent's terminal in a browser: a flood of output, a key press, and returning to the terminal.
 */
export async function terminalInBrowser(browser: Browser, place: Place): Promise<Line[]> {
  const agents = withAgents(place)
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" })
  const page = await context.newPage()
  const id = await place.session()
  await page.goto(`${place.url}/s/${id}/term`)
  await page.getByText("No terminal yet").waitFor()
  let drainMs = 0
  const flood = await longTasks(browser, page, async () => {
    await agents.begin({ flood_bytes: FLOOD_BYTES }, { sessionId: id, done: true })
    drainMs = await timed(() => page.getByText("· ended").waitFor())
  })

  const calm = await agents.begin({ say: "Ready.", hangs: true })
  await page.goto(`${place.url}/s/${calm}/term`)
  await shown(page, "Ready.")
  await onTerminal(page).enter()
  const keysMs: number[] = []
  for (let typed = 1; typed <= KEYS; typed++) {
    keysMs.push(
      await timed(async () => {
        await page.keyboard.press("Z")
        await shown(page, "Z".repeat(typed))
      }),
    )
  }
  const views = page.getByRole("navigation", { name: "Views" })
  const openMs: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    await views.getByRole("link", { name: "Changes" }).click()
    await page.locator("[data-pty]").waitFor({ state: "detached" })
    openMs.push(
      await timed(async () => {
        await views.getByRole("link", { name: "Terminal" }).click()
        await shown(page, "Ready.")
      }),
    )
  }
  await place.ask("POST", `/api/v1/sessions/${calm}/cancel`)
  await context.close()

  const what = `${FLOOD_BYTES / 1_000_000} MB to a terminal that is looked at`
  return [
    { what: `${what}: tasks of 50 ms and more`, value: flood.count, unit: "times", target: atMost(10) },
    { what: `${what}: the longest of them`, value: flood.longestMs, unit: "ms", target: atMost(100) },
    { what: `${what}: from the end of its run until it shows`, value: drainMs, unit: "ms", target: atMost(200) },
    { what: "a key until a terminal shows it, p95", value: percentile(keysMs, 95), unit: "ms", target: atMost(100) },
    { what: "a terminal come back to, until it shows", value: median(openMs), unit: "ms", target: atMost(300) },
  ]
}

function atMost(value: number): Line["target"] {
  return { of: "value", atMost: value }
}

/** Waits until the terminal shows this text, even across line breaks. */
async function shown(page: Page, words: string): Promise<void> {
  await page.waitForFunction(
    (wanted) =>
      document.querySelector("[data-pty] .xterm-rows")?.textContent?.replaceAll("\u00a0", " ").includes(wanted),
    words,
    { timeout: 120_000 },
  )
}
