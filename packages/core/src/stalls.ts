import { monitorEventLoopDelay, performance } from "node:perf_hooks"

const CHECK_EVERY_MS = 1000
const RESOLUTION_MS = 20

/**
 * Calls `report` with the longest time, in milliseconds, for which this process did one thing without looking at anything else,
 * where that is more than `limitMs`: all other requests waited for so long. Called about once a second at most. A process that
 * didn't run, as a function between two invocations, isn't meant.
 */
export function watchForStalls(report: (stallMs: number) => void, { limitMs = 200 } = {}): Disposable {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  let before = performance.eventLoopUtilization()
  const check = () => {
    const stallMs = Math.round(delays.max / 1e6)
    // A process that is frozen waits for events at that time. CPU time wouldn't tell: a busy machine gives a stalled process
    // next to none.
    const { active } = performance.eventLoopUtilization(before)
    if (stallMs > limitMs && active > stallMs / 2) report(stallMs)
    delays.reset()
    before = performance.eventLoopUtilization()
  }
  // After all timers that are due, for the monitor has one: a stall would be counted in one second, and its cause in another.
  const timer = setInterval(() => setImmediate(check), CHECK_EVERY_MS)
  timer.unref()
  return {
    [Symbol.dispose]() {
      clearInterval(timer)
      delays.disable()
    },
  }
}
