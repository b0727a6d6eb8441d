import type { EventOf, LogEvent } from "../../../events.ts"
import type { DiffFile } from "../../../files/worktrees/diff-schema.ts"
import { readWorktree } from "../../../files/worktrees/latest.ts"
import { worktreeOf } from "../../../files/worktrees/state.ts"
import { hydrateEvent } from "../../../log/payload.ts"
import type { RunContext } from "../../runs/run-context.ts"
import { isEnded, runOf } from "../../runs/state.ts"
import { publishedIn, writeChange } from "../files.ts"
import { publishRefusal } from "../node-rules.ts"
import { isProgram, nodesIn, type TeamState, type WorkerState, type WorkNode } from "../state.ts"
import type { TeamDeps } from "../team-context.ts"
import { patchText } from "../views/patch-text.ts"

type Coordinating = RunContext<unknown>

/**
 * Completes the nodes of finished programs with their summary, changes and check results. Each node completes exactly
 * once, even if several executors try. A node fails if its program left neither a summary nor changes.
 */
export async function settlePrograms(deps: TeamDeps, context: Coordinating, team: TeamState): Promise<void> {
  for (const node of nodesIn(team, "running")) {
    const worker = team.workers[node.workerId ?? ""]
    const run = node.runs.at(-1)
    if (!worker || !isProgram(worker) || !run) continue
    const state = runOf(context.state(), run.runId)
    if (!state || isEnded(state)) await settle(deps, context, { node, worker, run })
  }
}

interface Ended {
  node: WorkNode
  worker: WorkerState
  run: WorkNode["runs"][number]
}

async function settle(deps: TeamDeps, context: Coordinating, { node, worker, run }: Ended): Promise<void> {
  const { said, end } = await readEnd(deps, context, run)
  const changed = await readChanges(deps, context, worker)
  const { nodeId } = node
  const refusal = ({ team }: { team: TeamState | null }) => publishRefusal(team, { nodeId, runId: run.runId })
  if (said === "" && changed.length === 0) {
    const reason = `${worker.name} ended without leaving a summary or changes.`
    return void (await context.decide(
      ({ team }) => refusal({ team }) ?? [{ type: "work_node_failed", node_id: nodeId, reason }],
    ))
  }
  const { branch } = worktreeOf(context.state(), worker.worktree ?? "")
  const summary = summaryOf(said, end).slice(0, 2000)
  const files = changed.map(({ new_path }) => new_path)
  const about = { worktree: worker.worktree ?? undefined, branch, verdict: end?.verdict }
  const completed = { type: "work_node_completed" as const, node_id: nodeId, summary, files, ...about }
  const published = [
    writeChange(`${publishedIn(nodeId)}/result.md`, `${summary}\n`),
    ...(changed.length > 0 ? [writeChange(`${publishedIn(nodeId)}/changes.diff`, patchText(changed))] : []),
  ]
  await context.commit(published, `node-${run.runId}`, { events: [completed], refusal })
}

function summaryOf(said: string, end: EventOf<"run_completed"> | undefined): string {
  const words = said === "" ? "It gave no summary of its work." : said
  return end?.warning === undefined ? words : `${words}\n\nWarning: ${end.warning}`
}

/** Reads a program's last report on its work, and the outcome of its run. */
async function readEnd(deps: TeamDeps, context: Coordinating, run: Ended["run"]) {
  let summary = ""
  let words: LogEvent | undefined
  let end: EventOf<"run_completed"> | undefined
  for await (const event of context.history(run)) {
    if (event.type === "milestone") summary = event.summary
    if (event.type === "assistant_message") words = event
    if (event.type === "run_completed") end = event
  }
  return { said: summary || (await textOf(deps, context, words)), end }
}

async function textOf({ blobs }: TeamDeps, context: Coordinating, event: LogEvent | undefined): Promise<string> {
  const whole = event && (await hydrateEvent(blobs, event, context))
  if (whole?.type !== "assistant_message" || !Array.isArray(whole.blocks)) return ""
  const texts = whole.blocks.flatMap(({ kind, content }) => (kind === "text" ? content : []))
  return texts.join("\n").trim()
}

async function readChanges(deps: TeamDeps, context: Coordinating, { worktree }: WorkerState): Promise<DiffFile[]> {
  const about = { sid: context.sid, state: context.state() }
  const report = await readWorktree(deps, about, { worktree: worktree ?? "", signal: context.signal })
  return report?.diff?.files ?? []
}
