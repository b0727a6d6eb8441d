import type { Browser, CDPSession, Page } from "playwright-core"

const LONG_TASK_US = 50_000
/** A phone of some years ago, on a bad day. */
const SLOW = { cpu: 4, bitsPerSecond: 1_600_000, latencyMs: 150 }

export interface LongTasks {
  count: number
  longestMs: number
  /** What they take beyond 50 ms each. */
  blockingMs: number
  /** Time of all tasks of the main thread, the short ones included. */
  busyMs: number
}

/** The page's long tasks meanwhile. By the processor's clock: whoever else is at the machine doesn't count. */
export async function longTasks(browser: Browser, page: Page, work: () => Promise<void>): Promise<LongTasks> {
  await browser.startTracing(page, { categories: ["toplevel", "__metadata"] })
  await work()
  const { traceEvents }: { traceEvents: TraceEvent[] } = JSON.parse((await browser.stopTracing()).toString("utf8"))
  const main = new Set(
    traceEvents.flatMap(({ name, args, pid, tid }) =>
      name === "thread_name" && args?.name === "CrRendererMain" ? [`${pid} ${tid}`] : [],
    ),
  )
  const all = traceEvents.flatMap(({ name, pid, tid, tdur = 0 }) =>
    name.endsWith("RunTask") && main.has(`${pid} ${tid}`) ? [tdur / 1000] : [],
  )
  const long = all.filter((ms) => ms >= LONG_TASK_US / 1000)
  return {
    count: long.length,
    longestMs: Math.max(0, ...long),
    blockingMs: long.reduce((total, ms) => total + ms - LONG_TASK_US / 1000, 0),
    busyMs: all.reduce((total, ms) => total + ms, 0),
  }
}

interface TraceEvent {
  name: string
  pid: number
  tid: number
  /** Microseconds of the thread's own time. */
  tdur?: number
  args?: { name?: string }
}

/** A quarter of the processor, and a slow network. */
export async function slowDown(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: SLOW.cpu })
  const bytes = SLOW.bitsPerSecond / 8
  await cdp.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: SLOW.latencyMs,
    downloadThroughput: bytes,
    uploadThroughput: bytes,
  })
}

/** When the largest thing on the page was painted, as far as the page is now. */
export function largestPaint(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) =>
        new PerformanceObserver((list) => resolve(list.getEntries().at(-1)?.startTime ?? Number.NaN)).observe({
          type: "largest-contentful-paint",
          buffered: true,
        }),
      ),
  )
}

/** What the page's JavaScript holds once nothing is left that could go. */
export async function heldMegabytes(page: Page): Promise<number> {
  const cdp: CDPSession = await page.context().newCDPSession(page)
  await cdp.send("HeapProfiler.collectGarbage")
  const { usedSize } = await cdp.send("Runtime.getHeapUsage")
  return usedSize / 1024 / 1024
}

/** Counts the frames that are painted from now on, and how long each key takes to show. */
export async function watchFrames(page: Page): Promise<void> {
  await page.evaluate(() => {
    const seen = { since: performance.now(), frames: 0, keysMs: [] as number[] }
    Object.assign(window, { seen })
    const count = () => {
      seen.frames++
      requestAnimationFrame(count)
    }
    requestAnimationFrame(count)
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries()) if (name === "keydown") seen.keysMs.push(duration)
    }).observe({ type: "event", durationThreshold: 16 } as PerformanceObserverInit)
  })
}

/** Of sixty a second, how many frames were not painted, in percent; and each key that took longer than a frame. */
export function framesSeen(page: Page): Promise<{ droppedPercent: number; keysMs: number[] }> {
  return page.evaluate(() => {
    const { since, frames, keysMs } = (
      window as unknown as { seen: { since: number; frames: number; keysMs: number[] } }
    ).seen
    const wanted = ((performance.now() - since) / 1000) * 60
    return { droppedPercent: Math.max(0, (100 * (wanted - frames)) / wanted), keysMs }
  })
}
