import { formatCount } from "@switchyard/core/format"
import { isEnded, type Run } from "../api.ts"
import type { Cli } from "../cli.ts"
import { downloadInto } from "../download.ts"
import { CliError, Interrupted, Unreachable } from "../errors.ts"
import { EXIT, exitCodeOf } from "../exit.ts"
import { watchRun } from "./watch.ts"

export interface WatchOptions {
  out?: string
  force?: boolean
  detach?: boolean
  timeout?: number
}

// A working server cancels within seconds.
const CANCEL_GRACE_MS = 30_000

class TimedOut extends CliError {}

/** Shows a run until it ends, and downloads its files. Resolves to the exit code. */
export async function seeThrough(cli: Cli, run: Run, options: WatchOptions): Promise<number> {
  const { out, force = false } = options
  const { ended, timedOut } = await attend(cli, run, options)
  if (!ended || !isEnded(ended.status) || (timedOut && ended.status === "cancelled")) return EXIT.timedOut
  if (ended.status !== "cancelled" && out) await deliver(cli, ended, out, force)
  return exitCodeOf(ended.status)
}

/** Watches the run until it ends by itself, by an interrupt or by its timeout. */
async function attend(cli: Cli, { run_id }: Run, { timeout, detach }: WatchOptions) {
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
    throw new TimedOut(`The timeout of ${seconds} s has passed, and the run has not stopped yet.`)
  }
  // If either fails, there is nothing left to wait for.
  const stop = (error: unknown) => over.abort(error)
  cancelOnInterrupt().catch(stop)
  if (timeout) endInTime(timeout).catch(stop)

  try {
    return { ended: await watchRun(cli, run_id, { since: 0, signal: leave }), timedOut }
  } catch (error) {
    if (goesOn(error))
      cli.terminal.notice(`The run may still be going. To follow it: switchyard events ${run_id} --follow`)
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

/** Downloads the files of a run; of one that failed, those that there are. */
async function deliver(cli: Cli, { workspace_id, status }: Run, out: string, force: boolean) {
  const { first, second } = cli.interrupts
  const signal = first.aborted ? second : first
  await cli.api.filesSaved(workspace_id, { signal })
  const isWhole = status === "completed"
  if (!isWhole && (await cli.api.tree(workspace_id, { signal })).length === 0) return
  const files = await downloadInto(cli, workspace_id, out, { merge: force, signal })
  const text = `${formatCount(files, "file")} in ${out}${isWhole ? "" : "; the run failed, so something is missing"}`
  if (!cli.terminal.json) cli.terminal.line({ who: "files", text, tone: isWhole ? "good" : "plain" })
}
