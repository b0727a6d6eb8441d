import { monitorEventLoopDelay, performance } from "node:perf_hooks"

const CHECK_EVERY_MS = 1000
const RESOLUTION_MS = 20

/**
 * Calls `report` with the longest stall of the event loop, in milliseconds, if it exceeds `limitMs`. All other requests
 * waited that long. Reports at most about once a second. Ignores times when the process was suspended, like a function
 * between two invocations.
 */
export function watchForStalls(report: (stallMs: number) => void, { limitMs = 200 } = {}): Disposable {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  let before = performance.eventLoopUtilization()
  const check = () => {
    const stallMs = Math.round(delays.max / 1e6)
    // A suspended process counts as waiting for events. CPU time would not tell the difference, because a stalled
    // process on a busy machine gets almost none.
    const { active } = performance.eventLoopUtilization(before)
    if (stallMs > limitMs && active > stallMs / 2) report(stallMs)
    delays.reset()
    before = performance.eventLoopUtilization()
  }
  // Runs after all due timers, because the monitor is a timer itself. Otherwise a stall and its cause could be counted
  // in different seconds.
  const timer = setInterval(() => setImmediate(check), CHECK_EVERY_MS)
  timer.unref()
  return {
    [Symbol.dispose]() {
      clearInterval(timer)
      delays.disable()
    },
  }
}
