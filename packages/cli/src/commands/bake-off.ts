import { text } from "node:stream/consumers"
import { BakeOff, BakeOffs, SettledBakeOff } from "@switchyard/core/work/bake-offs/schema"
import { NO_REVIEWER } from "@switchyard/core/work/verification/review-schema"
import type { Cli } from "../cli.ts"
import { askForConsent } from "../errors/consent.ts"
import { UsageError } from "../errors/errors.ts"
import { EXIT } from "../errors/exit.ts"
import { bakeOffTable } from "./bake-off-table.ts"

export interface BakeOffOptions {
  /** Account names or agent IDs. Each may be followed by an equals sign and a model. */
  entrant?: string[]
  session?: string
  repository?: string
  base?: string
  verify: boolean
  attempts?: number
  reviewer?: string
  detach?: boolean
  consent?: boolean
}

/**
 * Gives a task to several agents, waits until all of them are done, and prints the table. Succeeds if at least one
 * agent passed.
 */
export async function bakeOff(cli: Cli, given: string, options: BakeOffOptions): Promise<number> {
  const { api, terminal, interrupts } = cli
  const { entrant = [], detach, reviewer } = options
  if (entrant.length < 2) throw new UsageError("Specify at least two agents: --entrant claude --entrant codex.")
  const task_description = given === "-" ? await text(process.stdin) : given
  if (!task_description.trim()) throw new UsageError("The task is empty.")
  const sessionId = await sessionOf(cli, options)
  const { base: base_branch, verify, attempts: verification_attempts, consent } = options
  const about = { base_branch, verify, verification_attempts, consent, verification_agent: reviewerOf(reviewer) }
  const body = { task_description, entrants: entrant.map(entrantOf), ...about }
  // Idempotent: retries with the same key don't start a second comparison.
  const headers = { "idempotency-key": cli.newKey() }
  const asked = { path: { id: sessionId }, headers, body, signal: interrupts.second }
  const started = await api
    .ask("POST /api/v1/sessions/{id}/bake-offs", BakeOff, asked)
    .catch(askForConsent("The agents and the project's own commands run"))
  if (!terminal.json) terminal.line({ who: "compare", text: `${started.bake_off_id} in ${sessionId}`, tone: "plain" })
  if (detach) {
    if (terminal.json) terminal.printJson(started)
    return EXIT.done
  }
  const ended = await endOf(cli, { id: sessionId, bake_off: started.bake_off_id })
  terminal.show(ended, ...bakeOffTable(ended))
  if (ended.rows.some(({ passed }) => passed)) return EXIT.done
  return verify ? EXIT.notVerified : EXIT.failed
}

const POLL_MS = 2000

/** Waits until no agent is working any more, and returns the comparison. */
async function endOf({ api, clock, interrupts }: Cli, path: { id: string; bake_off: string }): Promise<BakeOff> {
  for (;;) {
    const found = await api.ask("GET /api/v1/sessions/{id}/bake-offs/{bake_off}", BakeOff, { path })
    if (found.status !== "running") return found
    await clock.sleep(POLL_MS, { signal: interrupts.first })
  }
}

export interface BakeOffsOptions {
  adopt?: string
  discard?: boolean
}

/** Settles the newest open comparison if requested. Then prints a session's comparisons. */
export async function bakeOffs(cli: Cli, id: string, { adopt, discard }: BakeOffsOptions): Promise<number> {
  const { api, terminal, interrupts } = cli
  if (adopt !== undefined && discard) throw new UsageError("--adopt and --discard can't be combined.")
  const { bake_offs: before } = await api.ask("GET /api/v1/sessions/{id}/bake-offs", BakeOffs, { path: { id } })
  if (adopt === undefined && !discard) {
    terminal.show({ bake_offs: before }, ...before.flatMap(bakeOffTable))
    return EXIT.done
  }
  const open = before.find(({ status }) => status !== "settled")
  if (!open) throw new UsageError("This session doesn't have an open comparison.")
  const path = { id, bake_off: open.bake_off_id }
  const asked = { path, body: { adopt: adopt ?? null }, signal: interrupts.second }
  const settled = await api.ask("POST /api/v1/sessions/{id}/bake-offs/{bake_off}/settle", SettledBakeOff, asked)
  const { bake_off, merge } = settled
  terminal.show({ bake_off, merge }, ...bakeOffTable(bake_off))
  if (merge && !terminal.json) terminal.notice(merge.message)
  return bake_off.status === "settled" ? EXIT.done : EXIT.failed
}

async function sessionOf({ api, interrupts }: Cli, { session, repository }: BakeOffOptions): Promise<string> {
  if ((session === undefined) === (repository === undefined)) {
    throw new UsageError("Specify either a --repository, or a --session that has a repository.")
  }
  if (session !== undefined) return session
  return (await api.openSession({ repository }, { signal: interrupts.second })).id
}

function entrantOf(named: string) {
  const [coding_agent = "", ...model] = named.split("=")
  return { coding_agent, ...(model.length > 0 && { coding_model: model.join("=") }) }
}

function reviewerOf(named: string | undefined): string | undefined {
  return named === "none" ? NO_REVIEWER : named
}
