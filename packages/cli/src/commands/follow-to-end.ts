import { isEnded, type Run } from "../api/responses.ts"
import type { Cli } from "../cli.ts"
import { CliError, Interrupted, Unreachable } from "../errors/errors.ts"
import { EXIT, exitCodeOf } from "../errors/exit.ts"
import { deliver, showBranch, showFiles } from "./results.ts"
import { watchRun } from "./watch.ts"

export interface WatchOptions {
  out?: string
  force?: boolean
  detach?: boolean
  timeout?: number
}

// Maximum time to wait until a cancelled run has ended. A healthy server cancels a run within seconds.
const CANCEL_GRACE_MS = 30_000

class TimedOut extends CliError {}

/** Shows a run until it ends, and then its branch. Downloads its files, or lists them. Returns the exit code. */
export async function followToEnd(cli: Cli, run: Run, options: WatchOptions): Promise<number> {
  const { ended, timedOut } = await watchToEnd(cli, run, options)
  if (!ended || !isEnded(ended.status)) return EXIT.timedOut
  const { first, second } = cli.interrupts
  const signal = first.aborted ? second : first
  if (ended.worktree !== null) await showBranch(cli, ended, { signal })
  if (options.out && ended.status !== "cancelled") await deliver(cli, ended, { ...options, out: options.out, signal })
  else if (ended.status !== "completed") await showFiles(cli, ended, { signal })
  return timedOut && ended.status === "cancelled" ? EXIT.timedOut : exitCodeOf(ended)
}

/** Watches a run until it ends, is interrupted or times out. */
export async function watchToEnd(cli: Cli, { run_id }: Run, { timeout, detach }: WatchOptions) {
  const { first, second } = cli.interrupts
  const over = new AbortController()
  const leave = AbortSignal.any([second, over.signal])
  let timedOut = false

  async function cancel(notice: string) {
    cli.terminal.notice(notice)
    await cli.api.cancelRun(run_id, { signal: leave })
  }
  async function cancelOnInterrupt() {
    await aborted(first, leave)
    await cancel("Cancelling. Press Ctrl-C again to leave without waiting.")
  }
  async function endInTime(seconds: number) {
    await cli.clock.sleep(seconds * 1000, { signal: leave })
    timedOut = true
    if (detach) throw new TimedOut(`The timeout of ${seconds} s has passed.`)
    await cancel(`The timeout of ${seconds} s has passed. Cancelling.`)
    await cli.clock.sleep(CANCEL_GRACE_MS, { signal: leave })
    throw new TimedOut(`The timeout of ${seconds} s has passed, but the run hasn't stopped yet.`)
  }
  // If either of these tasks fails, stop watching the run.
  const stop = (error: unknown) => over.abort(error)
  cancelOnInterrupt().catch(stop)
  if (timeout) endInTime(timeout).catch(stop)

  try {
    return { ended: await watchRun(cli, run_id, { since: 0, signal: leave }), timedOut }
  } catch (error) {
    if (goesOn(error))
      cli.terminal.notice(`The run may still be in progress. To follow it: npx switchyard events ${run_id} --follow`)
    if (!(error instanceof TimedOut)) throw error
    cli.terminal.notice(error.message)
    return { ended: undefined, timedOut }
  } finally {
    over.abort()
  }
}

function goesOn(error: unknown): boolean {
  return error instanceof TimedOut || error instanceof Interrupted || error instanceof Unreachable
}

async function aborted(awaited: AbortSignal, signal: AbortSignal): Promise<void> {
  if (awaited.aborted) return
  await new Promise<void>((done, fail) => {
    awaited.addEventListener("abort", () => done(), { once: true, signal })
    signal.addEventListener("abort", () => fail(signal.reason), { once: true })
  })
}
