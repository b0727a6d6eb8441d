import { MAX_WORKERS } from "@switchyard/core/work/teams/schema"
import type { Browser, Page } from "playwright-core"
import { executablePath, launchChromium } from "../tests/browser/harness/chromium.ts"
import { openPlace, type Place } from "../tests/browser/harness/place.ts"
import { buildStudio } from "../tests/browser/harness/studio.ts"
import { createScriptedProvider, textAnswer } from "../tests/fixtures/scripted-model.ts"
import { type Line, percentile, type Question } from "./measure.ts"

const MEASURED = 40
const SMALL = { workers: 1, nodes: 0 }
const LARGE = { workers: MAX_WORKERS / 2, nodes: 160 }

export const studioTeam: Question = {
  asks: "How soon after its event does a node stand on a team's board?",
  async answer() {
    if (!executablePath) return [{ what: "pages", reason: "there is no Chromium" }]
    buildStudio()
    await using place = await openPlace({ model: createScriptedProvider(() => textAnswer("I wait.")) })
    const browser = await launchChromium()
    try {
      const small = await openBoard(browser, place, SMALL)
      const large = await openBoard(browser, place, LARGE)
      // The boards take turns, so that other load on the machine affects both.
      for (let added = 0; added < MEASURED; added++) {
        await small.addNode()
        await large.addNode()
      }
      const waits = { small: await small.waits(), large: await large.waits() }
      return [line(50, waits), line(95, waits)]
    } finally {
      await browser.close()
    }
  },
}

type Size = typeof SMALL

function line(percent: number, { small, large }: Record<"small" | "large", number[]>): Line {
  const [value, compared] = [percentile(large, percent), percentile(small, percent)]
  return {
    what: `the ${MEASURED} last of ${LARGE.nodes + MEASURED} nodes, with ${LARGE.workers} workers, p${percent}`,
    value,
    unit: "ms",
    baseline: { what: `the ${MEASURED} first, with one worker, p${percent}`, value: compared },
    ratio: value / compared,
    target: { of: "ratio", atMost: 3 },
  }
}

/** Opens the board of a team of this size. `waits` are the times from the nodes' events until they were painted. */
async function openBoard(browser: Browser, place: Place, { workers, nodes }: Size) {
  const { id } = await place.ask("POST", "/api/v1/teams", { goal: "A file for each node" })
  for (let at = 1; at <= workers; at++)
    await place.ask("POST", `/api/v1/teams/${id}/workers`, { name: `Worker ${at}`, role: "Writes" })
  for (let at = 1; at <= nodes; at++) await addNode(place, id, at)
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" })
  const page = await context.newPage()
  await watchNodes(page)
  await page.goto(`${place.url}/s/${id}/team`)
  await page.getByRole("list", { name: "Members" }).waitFor()
  if (nodes > 0) await painted(page, `node-${nodes}`)
  const paintedAt = new Map<string, number>()
  let count = nodes
  return {
    async addNode(): Promise<void> {
      await addNode(place, id, ++count)
      paintedAt.set(`node-${count}`, await painted(page, `node-${count}`))
    },
    async waits(): Promise<number[]> {
      const createdAt = await nodesCreatedAt(place, id)
      return [...paintedAt].map(([node, time]) => time - (createdAt.get(node) ?? Number.NaN))
    },
  }
}

async function addNode(place: Place, id: string, at: number): Promise<void> {
  const dependencies = at > 10 ? [`node-${at - 10}`] : []
  await place.ask("POST", `/api/v1/teams/${id}/nodes`, { id: `node-${at}`, task: `Write file ${at}`, dependencies })
}

/** Returns the times of the events that created the nodes, by node ID. */
async function nodesCreatedAt(place: Place, id: string): Promise<Map<string, number>> {
  const createdAt = new Map<string, number>()
  for (let since = 0, isMore = true; isMore; ) {
    const events = await place.ask("GET", `/api/v1/teams/${id}/events?since=${since}&limit=1000`)
    for (const { seq, type, ts, data } of events) {
      since = seq
      if (type === "node.created") createdAt.set(data.node_id, Date.parse(ts))
    }
    isMore = events.length > 0
  }
  return createdAt
}

declare global {
  interface Window {
    nodePaintedAt: Record<string, number>
  }
}

/** Records when each node was first painted, by the same clock as the server's. */
async function watchNodes(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.nodePaintedAt = {}
    const look = () => {
      const shown = [...document.querySelectorAll("article h3")].map((one) => one.textContent ?? "")
      const fresh = shown.filter((name) => !(name in window.nodePaintedAt))
      // A frame's callback runs before its paint, so the next frame's callback runs after it.
      requestAnimationFrame(() => {
        for (const name of fresh) window.nodePaintedAt[name] ??= Date.now()
        look()
      })
    }
    requestAnimationFrame(look)
  })
}

async function painted(page: Page, node: string): Promise<number> {
  await page.waitForFunction((name) => name in window.nodePaintedAt, node)
  return page.evaluate((name) => window.nodePaintedAt[name] ?? Number.NaN, node)
}
