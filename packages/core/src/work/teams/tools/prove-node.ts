import { AppError, isAppError } from "../../../errors.ts"
import { openWorkspace, type Workspace } from "../../../files/workspaces/files.ts"
import type { WorkspacePath } from "../../../files/workspaces/path.ts"
import type { SessionState } from "../../../state.ts"
import type { ProjectFiles } from "../../gate/check.ts"
import { shortenOutput } from "../../gate/check-output.ts"
import { findChecks } from "../../gate/find-checks.ts"
import { createGate, type FilesToCheck, type Shown } from "../../gate/gate.ts"
import { readProject } from "../../gate/read-project.ts"
import { CHECKER, type CheckCommands, type Verdict } from "../../gate/schema.ts"
import { reportsTests } from "../../gate/silent-tests.ts"
import { mistake } from "../../harness/durable-tools.ts"
import { RunParked } from "../../runs/run-context.ts"
import type { ChangedFile } from "../../verification/changed-file.ts"
import { compareWorkspaces } from "../../verification/compare-workspaces.ts"
import { judge } from "../../verification/judge.ts"
import { type Comparison, changedTests, findTampering, judgeOwnTests } from "../../verification/tampering.ts"
import { layNodeFiles, type NodeFiles } from "../node-files.ts"
import { nodeOf, orThrow, teamOf } from "../refusals.ts"
import type { TeamState } from "../state.ts"
import type { Member } from "./member.ts"

const TRY_AGAIN_MS = 10_000
const OUTPUT_CHARS = 4000

/**
 * Runs a node's checks on its files before the files are published, and parks meanwhile. Returns the verdict, or
 * undefined if the node has no checks. If a check fails, throws an error that asks the model to fix it. After the last
 * attempt, or if no check could run, throws `not_verified`.
 */
export async function proveNode(member: Member & { nodeId: string }, summary: string): Promise<Verdict | undefined> {
  const { context, messages, nodeId } = member
  const team = orThrow(teamOf(await context.catchUp()))
  const { checks } = orThrow(nodeOf(team, nodeId))
  if (checks === null) return undefined
  const commands = checksOfNode(context.state(), team, checks)
  const files = await layNodeFiles(member, nodeId)
  const [base, head] = await Promise.all([readProject(files.base, context), readProject(files.head, context)])
  const changed = await changedFiles(files, context)
  const comparison = { base, head, changed }
  const sinceChecks = await compareWithChecked(member, nodeId, files)
  const isOld = (path: string) => files.base.stat(path as WorkspacePath) !== undefined
  const own = judgeOwnTests(sinceChecks, isOld, { commands })
  const tampering = [
    ...[...findTampering(comparison, commands), ...changedTests(comparison).map(KEEP_TEST)],
    ...own.weakened,
  ]
  if (tampering.length > 0) throw mistake(mendText(tampering, ""))
  // The call's position in the conversation identifies the check, so a successor finds the existing check instead of
  // requesting another one.
  const round = messages.length
  const { verdict, output } = await show(member, round, { nodeId, commands, store: async () => files.manifest })
  // If a check can't run because something is missing in the environment, the worker may be able to rewrite its files
  // so that they don't need it.
  const isBlocked = verdict.checks.some(({ blocked }) => blocked)
  if (isBlocked && (await attempts(member)) < (team.commands?.max_attempts ?? 1))
    throw mistake(mendText([verdict.reason ?? ""], output))
  if (verdict.status === "not_run") throw notVerified(verdict.reason ?? "The checks couldn't be run.")
  const judged = judge({
    ...{ outcome: "completed", commit: verdict.manifest ?? "", verdict, tampering: [], originalTests: undefined },
    changedTests: own.changed,
    summary: { change_summary: summary, files_changed: [], completion_status: "success" },
    changed: changed.map(({ path }) => path),
    ...{ checksBefore: namesOf(base, commands), checksAfter: namesOf(head, commands) },
    reportsTests: reportsTests(head, commands),
  })
  if (judged.result === "passed") return judged.verdict
  const issues = judged.issues.length > 0 ? judged.issues : [judged.summary]
  if ((await attempts(member)) >= (team.commands?.max_attempts ?? 1)) throw notVerified(issues.join(" "))
  throw mistake(mendText(issues, output))
}

/**
 * Returns the commands that check a node. For each check, the node's own command takes precedence, then the session's,
 * then the team's.
 */
export function checksOfNode({ workspace }: SessionState, team: TeamState, checks: CheckCommands): CheckCommands {
  return { ...team.commands?.checks, ...workspace.checkCommands, ...checks }
}

async function show({ deps, context, id }: Member, round: number, node: FilesToCheck): Promise<Shown> {
  const { newId, startCheck } = deps
  // Each worker has its own checker, because an agent can have only one run at a time.
  const gate = createGate({ context, newId, startCheck, agentId: `${CHECKER}-${id}` })
  try {
    return await gate.show(round, node)
  } catch (error) {
    if (!isAppError(error, "run_active")) throw error
    const until = new Date(deps.clock.now() + TRY_AGAIN_MS).toISOString()
    throw new RunParked("too many agents are running to start its checks", { until })
  }
}

async function attempts({ context }: Member): Promise<number> {
  let count = 0
  for await (const event of context.history()) if (event.type === "check_requested") count++
  return count
}

/** Compares a node's files with the files as they were at each earlier check. */
async function compareWithChecked({ deps, context }: Member, nodeId: string, { head }: NodeFiles) {
  const { sid, signal } = context
  const comparisons: Comparison[] = []
  for await (const event of context.history()) {
    if (event.type !== "check_requested" || event.node_id !== nodeId || event.manifest === undefined) continue
    const at = { version: event.workspace_version, manifest: event.manifest }
    const checked = await openWorkspace(deps, { sid, state: context.state() }, { at, signal })
    comparisons.push(await compareWorkspaces(checked, head, context))
  }
  return comparisons
}

async function changedFiles(
  { base, head, paths }: NodeFiles,
  options: { signal: AbortSignal },
): Promise<ChangedFile[]> {
  const changed = paths.map(async (path) => {
    const [before, after] = await Promise.all([textOf(base, path, options), textOf(head, path, options)])
    return { path, before, after }
  })
  return (await Promise.all(changed)).filter(({ before, after }) => before !== after)
}

async function textOf(files: Workspace, path: WorkspacePath, options: { signal: AbortSignal }): Promise<string | null> {
  return files.stat(path)?.type === "file" ? files.readText(path, options).catch(() => null) : null
}

function namesOf(project: ProjectFiles, commands: CheckCommands) {
  return findChecks(project, commands).map(({ name }) => name)
}

const KEEP_TEST = (path: string) =>
  `${path} determines how this is tested, and existed before. Restore it: you may not change another node's tests.`

function mendText(issues: string[], output: string): string {
  const printed = output.trim() === "" ? "" : `\n\nWhat was printed:\n${shortenOutput(output.trim(), OUTPUT_CHARS)}`
  const found = issues.map((issue) => `- ${issue}`).join("\n")
  return `Nothing is published, because your files didn't pass this node's checks:\n\n${found}${printed}\n\nFind the cause, fix it, and call publish again.`
}

function notVerified(reason: string): AppError {
  return new AppError("not_verified", `This node's checks don't pass. ${reason}`.slice(0, 1500))
}
