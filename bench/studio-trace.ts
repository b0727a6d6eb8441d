import type { Browser, CDPSession, Page } from "playwright-core"

const LONG_TASK_US = 50_000
/** A phone that is a few years old, on a slow network. */
const SLOW = { cpu: 4, bitsPerSecond: 1_600_000, latencyMs: 150 }

export interface LongTasks {
  count: number
  longestMs: number
  /** Sum of the tasks' time beyond 50 ms each. */
  blockingMs: number
  /** Time of all tasks of the main thread, including the short ones. */
  busyMs: number
}

/** Returns the page's long tasks during the work. They are measured in CPU time, so other load doesn't count. */
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
  /** CPU time of the thread in microseconds. */
  tdur?: number
  args?: { name?: string }
}

/** Slows the page down to a quarter of the processor's speed and a slow network. */
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

/** Returns the time at which the largest element so far was painted, in milliseconds since the page opened. */
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

/** Returns the memory in MB that the page's JavaScript uses after a garbage collection. */
export async function heldMegabytes(page: Page): Promise<number> {
  const cdp: CDPSession = await page.context().newCDPSession(page)
  await cdp.send("HeapProfiler.collectGarbage")
  const { usedSize } = await cdp.send("Runtime.getHeapUsage")
  return usedSize / 1024 / 1024
}

/** Counts the painted frames from now on, and measures how long each key takes to show. */
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

/**
 * Returns the percentage of frames that weren't painted, at 60 per second, and the times of keys that took longer than
 * a frame.
 */
export function framesSeen(page: Page): Promise<{ droppedPercent: number; keysMs: number[] }> {
  return page.evaluate(() => {
    const { since, frames, keysMs } = (
      window as unknown as { seen: { since: number; frames: number; keysMs: number[] } }
    ).seen
    const wanted = ((performance.now() - since) / 1000) * 60
    return { droppedPercent: Math.max(0, (100 * (wanted - frames)) / wanted), keysMs }
  })
}
