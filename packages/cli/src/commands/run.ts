import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { text } from "node:stream/consumers"
import { formatCount } from "@switchyard/core/format"
import { demoOffer } from "@switchyard/core/models/demo-offer"
import { demoModelName } from "@switchyard/core/models/names"
import { isEnded, type Run } from "../api.ts"
import type { Cli } from "../cli.ts"
import { downloadInto } from "../download.ts"
import { CliError, Interrupted, isRefusal, Refused, Unreachable, UsageError } from "../errors.ts"
import { EXIT, exitCodeOf } from "../exit.ts"
import { checkTarget } from "../unpack.ts"
import { watchRun } from "./watch.ts"

export interface RunOptions {
  out?: string
  force?: boolean
  workspace?: string
  model?: string
  /** An account's name, or an agent's id. */
  agent?: string
  repository?: string
  consent?: boolean
  detach?: boolean
  timeout?: number
}

// A working server cancels within seconds.
const CANCEL_GRACE_MS = 30_000

class TimedOut extends CliError {}

/** Starts a run, shows it until it ends and downloads its files. */
export async function run(cli: Cli, prompt: string, options: RunOptions): Promise<number> {
  const { out, detach, timeout, force = false } = options
  if (detach && out && !timeout) throw new UsageError("--detach exits before there are files for --out.")
  if (out) await checkTarget(out, { merge: force })
  const created = await start(cli, prompt, options)
  const { run_id, workspace_id } = created
  if (detach && !timeout) {
    if (cli.terminal.json) cli.terminal.printJson(created)
    else cli.terminal.print(run_id)
    return EXIT.done
  }

  if (!cli.terminal.json)
    cli.terminal.line({ who: "run", text: `${run_id} in workspace ${workspace_id}`, tone: "plain" })
  if (!cli.terminal.json && created.model === demoModelName)
    cli.terminal.line({
      who: "demo",
      text: `The built-in demo answers, not a language model. ${demoOffer}`,
      tone: "plain",
    })
  const { ended, timedOut } = await attend(cli, created, options)
  if (!ended || !isEnded(ended.status) || (timedOut && ended.status === "cancelled")) return EXIT.timedOut
  if (ended.status === "completed" && out) await deliver(cli, ended, out, force)
  return exitCodeOf(ended.status)
}

/** Starts exactly one run, however often the request is retried. An interrupt waits for the reply, to know which run to cancel. */
async function start(cli: Cli, prompt: string, options: RunOptions): Promise<Run> {
  const { workspace, model, agent, repository, consent } = options
  if (!agent && (repository || consent)) throw new UsageError("--repository and --consent need --agent.")
  const userPrompt = prompt === "-" ? await text(process.stdin) : prompt
  if (!userPrompt.trim()) throw new UsageError("The prompt is empty.")
  const asked = cli.api.startRun(
    {
      ...{ user_prompt: userPrompt, workspace_id: workspace, model },
      ...(agent && { kind: "agent", coding_agent: agent, consent, repository: repository && addressOf(repository) }),
    },
    { idempotencyKey: cli.newKey(), signal: cli.interrupts.second },
  )
  return asked.catch((error) => {
    if (!isRefusal(error, "consent_required")) throw error
    const message = "Agents run commands on the server's machine without asking. Add --consent to allow that."
    throw new Refused(error.status, error.code, message)
  })
}

/** A local folder as an absolute path, because the server has another working directory; a URL unchanged. */
function addressOf(repository: string): string {
  return existsSync(repository) ? resolve(repository) : repository
}

/** Watches the run until it ends by itself, by an interrupt or by its timeout. */
async function attend(cli: Cli, { run_id }: Run, { timeout, detach }: RunOptions) {
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

async function deliver(cli: Cli, { workspace_id }: Run, out: string, force: boolean) {
  const { first, second } = cli.interrupts
  const signal = first.aborted ? second : first
  await cli.api.filesSaved(workspace_id, { signal })
  const files = await downloadInto(cli, workspace_id, out, { merge: force, signal })
  if (!cli.terminal.json)
    cli.terminal.line({ who: "files", text: `${formatCount(files, "file")} in ${out}`, tone: "good" })
}
