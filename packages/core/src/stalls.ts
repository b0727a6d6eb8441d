import { monitorEventLoopDelay } from "node:perf_hooks"

const CHECK_EVERY_MS = 1000
const RESOLUTION_MS = 20

/**
 * Calls `report` with the longest time, in milliseconds, for which this process computed without looking at anything else,
 * where that is more than `limitMs`: all other requests waited for so long. Called about once a second at most. A process that
 * didn't run, as a function between two invocations, isn't meant.
 */
export function watchForStalls(report: (stallMs: number) => void, { limitMs = 200 } = {}): Disposable {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  let cpu = process.cpuUsage()
  const check = () => {
    const { user, system } = process.cpuUsage(cpu)
    const stallMs = Math.round(delays.max / 1e6)
    // A process that is frozen uses no CPU.
    if (stallMs > limitMs && (user + system) / 1000 > stallMs / 2) report(stallMs)
    delays.reset()
    cpu = process.cpuUsage()
  }
  const timer = setInterval(check, CHECK_EVERY_MS)
  timer.unref()
  return {
    [Symbol.dispose]() {
      clearInterval(timer)
      delays.disable()
    },
  }
}
