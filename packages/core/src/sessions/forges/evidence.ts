import { AgentInput } from "../../agents/conversations/schema.ts"
import { describeTask } from "../../agents/tasks/task-view.ts"
import { AppError } from "../../errors.ts"
import { logName } from "../../kernel/keys.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { Log } from "../../log/log.ts"
import { readField } from "../../log/payload.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { Records } from "../../storage/records.ts"
import type { CheckResult, Verdict } from "../../work/gate/schema.ts"
import { notRun, verdictOf } from "../../work/gate/verdict.ts"
import { isTask } from "../../work/runs/kinds.ts"
import type { Evidence } from "./pull-request-text.ts"

interface EvidenceDeps {
  log: Log
  blobs: Blobs
  records: Records
}

/**
 * Returns the facts about the work in a worktree at this commit. Throws `run_not_found` if no agent has worked there.
 */
export async function readEvidence(
  deps: EvidenceDeps,
  session: SessionHandle,
  { worktree, commit }: { worktree: string; commit: string },
  options: { signal: AbortSignal },
): Promise<Evidence> {
  const { sid, state } = session
  const tasks = Object.values(state.runs.byId).filter((run) => isTask(run) && run.worktree === worktree)
  const run = tasks.sort((a, b) => b.firstSeq - a.firstSeq)[0]
  if (!run) throw new AppError("run_not_found", "No agent has worked in this worktree yet.")
  const created = await deps.log.read(logName(sid), run.firstSeq - 1, options).next()
  const given = created.value?.type === "run_created" ? created.value.input : undefined
  const { task } = await readField(deps.blobs, given, AgentInput, options)
  const { result } = await describeTask(deps, session, run, options)
  return { task, result, commit, ...(await verdictAt(deps, sid, { from: run.firstSeq, commit }, options)) }
}

/**
 * Returns the verdict of the checks that ran on this commit. Checks of other commits prove nothing about it. If
 * verification rejected the work, the verdict is `failed` even if the checks passed, because the work may have changed
 * them.
 */
async function verdictAt(
  { log }: EvidenceDeps,
  sid: string,
  { from, commit }: { from: number; commit: string },
  options: { signal: AbortSignal },
): Promise<Pick<Evidence, "verdict" | "issues">> {
  const checks = new Map<string, CheckResult>()
  let latest: Verdict | undefined
  let issues: string[] = []
  for await (const event of log.read(logName(sid), from - 1, options)) {
    if (event.type === "check_finished" && event.commit === commit && !event.tests_of) checks.set(event.name, event)
    if ("verdict" in event && event.verdict && event.verdict.commit === commit) latest = event.verdict
    if (event.type === "verification_attempt" && event.commit === commit) issues = event.passed ? [] : event.issues
  }
  const found = [...checks.values()]
  const shown = found.length > 0 ? verdictOf({ commit }, found) : notRun("No checks were run on this commit.")
  const verdict = latest && (latest.status !== "not_run" || found.length === 0) ? latest : shown
  return { verdict: issues.length > 0 ? { ...verdict, status: "failed" } : verdict, issues }
}
