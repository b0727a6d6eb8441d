import { formatDuration } from "../../text/format.ts"
import type { Verdict } from "../gate/schema.ts"
import { describeVerdict } from "../gate/verdict.ts"
import { debug, failure, type Headline, row, success, warning } from "./headline.ts"

/** Headlines for the start of runs that use no model, by kind of run. */
const KINDS: { [kind: string]: string } = {
  ...{ check: "Check started", train: "Merge queue started" },
  ...{ rewind: "Rewind started", fork: "Copy started", chat_files: "Reading the repository" },
}

/** Headlines for events of sessions, runs and runners. */
export const runHeadlines = {
  session_opened: () => debug("system", "Session opened"),
  session_renamed: ({ name }: { name: string | null }) =>
    debug("you", name === null ? "Session name removed" : `Session renamed to ${name}`),
  session_archived: ({ archived }: { archived: boolean }) =>
    debug("you", archived ? "Session archived" : "Session restored from the archive"),
  session_viewed: () => debug("you", "Session opened after its last run"),
  session_pinned: ({ pinned }: { pinned: boolean }) => debug("you", pinned ? "Session pinned" : "Session unpinned"),
  session_pushed: ({ url, version, branch }: { url: string; version: number; branch: string }) =>
    success("system", `Version ${version} was pushed to ${url}`, [branch]),
  session_deleted: () => warning("system", "Session deleted"),
  run_created: ({ kind, model }: { kind: string; model: string }) =>
    kind in KINDS ? row("system", KINDS[kind] ?? "") : row("system", "Run started", [model]),
  run_claimed: ({ generation, executor }: { generation: number; executor: string }) =>
    debug("system", generation === 1 ? "Run picked up" : "Run continues", [executor]),
  run_relaunched: ({ reason, attempt }: { reason: string; attempt: number }) =>
    warning("system", `Restarted: ${reason}`, [`attempt ${attempt}`]),
  run_handed_over: () => debug("system", "Moved to another executor"),
  // Team members park between their model calls, which needs no warning.
  run_parked: ({ reason, waits_for }: Parked) => (waits_for?.message ? row : warning)("system", `Waiting: ${reason}`),
  run_resumed: () => row("system", "Run resumed"),
  run_cancel_requested: () => row("system", "Stop requested"),
  run_completed: completed,
  run_cancelled: ({ duration_ms }: { duration_ms: number }) =>
    row("system", "Run stopped", duration_ms > 0 ? [formatDuration(duration_ms)] : []),
  run_failed: ({ message, hint, error_type, duration_ms }: Failure) =>
    failure(
      "system",
      withoutPrefix(message),
      [error_type, formatDuration(duration_ms)],
      message.includes(hint) ? undefined : hint,
    ),
  runner_awaited: awaited,
  runner_claimed: () => debug("system", "Runner connected"),
  runner_parked: ({ reason }: { reason: string }) => debug("system", `Runner parked: ${reason}`),
}

interface Parked {
  reason: string
  waits_for?: { message?: boolean }
}

/**
 * Returns true if an event only reports that a team's coordinator parks or resumes. A coordinator does so around each
 * model call and tool call, which have their own events.
 */
export function isRest({ type, agent_id, generation, waits_for }: MaybeRest): boolean {
  if (agent_id !== "coordinator") return false
  if (type === "run_parked") return waits_for?.message === true && waits_for.run !== undefined
  return type === "run_resumed" || (type === "run_claimed" && generation !== 1)
}

interface MaybeRest {
  type: string
  agent_id?: string | undefined
  generation?: number
  waits_for?: { message?: boolean | undefined; run?: string | undefined } | undefined
}

function completed({ duration_ms, warning: warned, verdict }: Completion): Headline {
  const meta = [formatDuration(duration_ms)]
  const hint = [verdict && describeVerdict(verdict), warned].filter(Boolean).join(" ")
  if (warned !== undefined) return warning("system", "Run complete, with a warning", meta, hint)
  if (verdict?.status === "failed") return warning("system", "Check complete", meta, hint)
  return success("system", "Run complete", meta, hint)
}

interface Completion {
  duration_ms: number
  warning?: string
  verdict?: Verdict
}

interface Failure {
  message: string
  hint: string
  error_type: string
  duration_ms: number
}

const underway: Record<string, string> = {
  requested: "Runner requested",
  provisioning: "Preparing the runner's machine",
  pending: "Fetching the runner",
  running: "Runner starting",
}

function awaited({ phase, attempt, reason }: { phase: string; attempt: number; reason?: string }): Headline {
  const text = underway[phase]
  const facts = attempt > 1 ? [`attempt ${attempt}`] : []
  if (text) return row("system", text, facts)
  const what = phase === "lost" ? "Runner lost" : "No runner available yet"
  return warning("system", `${what}: ${reason ?? "no reason given"}`, facts)
}

/** Removes the "Error:" prefixes that a message gets when it is wrapped several times. */
function withoutPrefix(message: string): string {
  return message.replace(/^(\s*Error:\s*)+/i, "")
}
