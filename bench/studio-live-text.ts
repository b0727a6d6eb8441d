import type { NewEvent } from "@switchyard/core/events"
import type { Browser, Page } from "playwright-core"
import { logOf } from "../tests/browser/harness/long.ts"
import type { Place } from "../tests/browser/harness/place.ts"
import { type Line, percentile } from "./measure.ts"
import { signal } from "./stage.ts"

const FILES = 30

/** Measures how long the first characters of a file take from their arrival in the page until they are painted. */
export async function liveTextInBrowser(browser: Browser, place: Place): Promise<Line[]> {
  const id = await place.session()
  const session = await logOf(place, id)
  const say = (...events: NewEvent[]) => session.decide(() => events, { signal })
  const run = { run_id: `run_${"0".repeat(26)}`, agent_id: "main" }
  const input = { user_prompt: "Make it.", recursion_limit: 100 }
  await say(
    { type: "run_created", ...run, kind: "workflow", model: "scripted/test", input },
    { type: "run_claimed", ...run, generation: 1, executor: "bench" },
  )
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" })
  const page = await context.newPage()
  await watchText(page)
  await page.goto(`${place.url}/s/${id}/run?show=code`)
  await page.locator("#agent-editor").waitFor()
  for (let file = 1; file <= FILES; file++) {
    const path = `file-${file}.ts`
    const visit = { ...run, node: "coder" as const, iteration: file, namespace: [] }
    const task = { step: file, task_id: "bench" }
    await say({ type: "node_started", ...visit, ...task, triggers: [], file_path: path })
    await page.locator("#agent-editor").getByText(path).waitFor()
    await say({ type: "file_text", ...visit, path, offset: 0, text: `mark${file};` })
    await page.waitForFunction((count) => window.paintedMs.length === count, file)
    await say({ type: "node_finished", ...visit, ...task, duration_ms: 1, update: { file_path: path } })
  }
  const paintedMs = await page.evaluate(() => window.paintedMs)
  await context.close()
  return [
    {
      what: "the first characters of a file that is written, from their arrival until they are painted, p95",
      value: percentile(paintedMs, 95),
      unit: "ms",
      target: { of: "value", atMost: 300 },
    },
  ]
}

declare global {
  interface Window {
    paintedMs: number[]
  }
}

/** Records when each text arrives on the socket, and when its frame was painted. */
async function watchText(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.paintedMs = []
    let awaited: { mark: string; since: number } | null = null
    window.WebSocket = class extends WebSocket {
      constructor(...given: ConstructorParameters<typeof WebSocket>) {
        super(...given)
        // Registered before the studio's own listener, which is added later.
        this.addEventListener("message", ({ data }) => {
          const mark = /mark\d+;/.exec(String(data))?.[0]
          if (mark) awaited = { mark, since: performance.now() }
        })
      }
    }
    // A frame's callback runs before its paint, so the next frame's callback runs after it.
    const look = () => {
      const shown = document.querySelector("#agent-editor .cm-content")?.textContent ?? ""
      if (awaited && shown.includes(awaited.mark)) {
        const { since } = awaited
        awaited = null
        requestAnimationFrame(() => window.paintedMs.push(performance.now() - since))
      }
      requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })
}
