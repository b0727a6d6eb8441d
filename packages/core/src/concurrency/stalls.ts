import { monitorEventLoopDelay, performance } from "node:perf_hooks"

const CHECK_EVERY_MS = 1000
const RESOLUTION_MS = 20

/**
 * Calls `report` with the length of the longest event loop stall in milliseconds, if it exceeds `limitMs`. During a
 * stall, all other requests have to wait. Reports at most about once a second. Ignores time during which the process
 * was suspended, such as the time between two invocations of a function.
 */
export function watchForStalls(report: (stallMs: number) => void, { limitMs = 200 } = {}): Disposable {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  let before = performance.eventLoopUtilization()
  const check = () => {
    const stallMs = Math.round(delays.max / 1e6)
    // Time during which the process was suspended counts as idle, so only count a stall that was mostly active time.
    // CPU time wouldn't work, because a stalled process on a busy machine gets almost none.
    const { active } = performance.eventLoopUtilization(before)
    if (stallMs > limitMs && active > stallMs / 2) report(stallMs)
    delays.reset()
    before = performance.eventLoopUtilization()
  }
  // Check after all due timers, because the delay monitor is a timer too. Otherwise, a stall and its cause could be
  // counted in different seconds.
  const timer = setInterval(() => setImmediate(check), CHECK_EVERY_MS)
  timer.unref()
  return {
    [Symbol.dispose]() {
      clearInterval(timer)
      delays.disable()
    },
  }
}
