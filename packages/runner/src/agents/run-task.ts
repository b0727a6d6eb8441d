import { cliOf } from "@switchyard/core/agents/added/cli-of"
import type { Summary } from "@switchyard/core/agents/conversations/schema"
import { startMode } from "@switchyard/core/agents/permissions/decide"
import { settle } from "@switchyard/core/errors"
import type { NewEvent } from "@switchyard/core/events"
import { ownFiles } from "../files/files.ts"
import { resolvePaths } from "../files/resolve-paths.ts"
import { type ProgramUnavailable, resolveProgram } from "../programs/resolve-program.ts"
import { createLoopDetector } from "./loop-detector.ts"
import { createModelRetries } from "./model-retries.ts"
import { firstTurn, isSessionLost, nextTurn, repeated, type TaskTurn, takesMessages } from "./next-turn.ts"
import { runTerminalTurn } from "./run-terminal-turn.ts"
import { runTurn } from "./run-turn.ts"
import { settleSession } from "./settle-session.ts"
import type { Task, TaskDeps, TaskEnd } from "./task.ts"
import { confined, driveOf, prepareProgram } from "./task-program.ts"
import { firstWords } from "./task-prompt.ts"
import { runTuiSession } from "./tui-session.ts"
import type { EndOfTurn } from "./turn.ts"

/**
 * Runs a task turn by turn until the agent finishes, fails or has used all its continuations. Messages that no turn has
 * received start another turn. Returns the last turn's outcome, and the agent's summary and session.
 */
export async function runTask(deps: TaskDeps, given: Task, { signal }: { signal: AbortSignal }): Promise<TaskEnd> {
  const turns = numberTurns(deps)
  const retries = createModelRetries(deps.clock, deps.patience.retryMs)
  let task = given
  let summary: Summary | undefined
  let turn = firstTurn(task)
  await turns.begin(firstWords(task, turn.prompt))
  for (;;) {
    const end = await runWatched({ ...deps, append: turns.append }, task, turn, signal)
    summary = end.summary ?? summary
    const ended = { turn, end, aborted: signal.aborted }
    const unheard = takesMessages(ended) ? deps.attachments.takeUndelivered() : []
    if (isSessionLost(ended)) task = { ...task, earlierWork: await task.recall?.() }
    const retry = retries.after(end)
    const next = nextTurn(task, ended, unheard) ?? (retry && !ended.aborted ? repeated(ended, retry) : null)
    if (next === null) return endTask(deps, ended, summary)
    // Check the budget after the turn too, because without a gateway, programs report usage only then. People's
    // messages take precedence.
    const parked = unheard.length > 0 || ended.aborted ? undefined : await deps.budget?.findReached()
    if (parked) return { ...(await endTask(deps, ended, undefined)), parked }
    turn = next.turn
    if (next.withPerson && turn.resume !== null) await withPerson(deps, task, turn.resume, signal)
    if (next.words) await turns.begin(next.words)
    if (next.afterMs === undefined) continue
    await settle(() => deps.clock.sleep(next.afterMs ?? 0, { signal }))
    if (signal.aborted) return endTask(deps, { ...ended, aborted: true }, summary)
  }
}

async function endTask(
  deps: TaskDeps,
  { turn, end, aborted }: { turn: TaskTurn; end: EndOfTurn; aborted: boolean },
  summary: Summary | undefined,
): Promise<TaskEnd> {
  const { outcome, parked } = end
  const result = { outcome, summary, nativeSession: end.nativeSession ?? turn.resume }
  if (parked && !aborted) return { ...result, parked }
  if (summary && outcome.type === "completed") await appendMilestone(deps, summary)
  return result
}

/** Runs one turn, and stops it if the agent goes in circles. */
async function runWatched(deps: TaskDeps, task: Task, turn: TaskTurn, signal: AbortSignal): Promise<EndOfTurn> {
  const circle = createLoopDetector(deps.limits)
  const append = async (events: NewEvent[]) => {
    await deps.append(events)
    circle.see(events)
  }
  return runOneTurn({ ...deps, append, limits: circle.limits }, task, turn, signal)
}

/** Adds the turn's ID to every event. `begin` starts a new turn. */
function numberTurns({ append, newId }: Pick<TaskDeps, "append" | "newId">) {
  let turn_id = ""
  const inTurn = (events: NewEvent[]) => append(events.map((event) => ({ turn_id, ...event })))
  return {
    append: inTurn,
    begin(messages: NewEvent[]): Promise<void> {
      turn_id = newId("trn")
      return inTurn(messages)
    },
  }
}

async function runOneTurn(
  deps: TaskDeps,
  task: Task,
  { prompt, resume, attempt, fallback }: TaskTurn,
  signal: AbortSignal,
): Promise<EndOfTurn> {
  const { input, root, cwd, home, account, gateway, tools } = task
  const { model, reasoning, terminal } = input
  const mode = startMode(deps.decisions.policy)
  const cli = cliOf(input.cli, account.added)
  await using admission = await deps.admitProject(cli, { mode, signal })
  const { isTrusted } = admission
  const turn = { prompt, root, cwd, home, model, reasoning, resume, mode, isTrusted, tools }
  const drive = driveOf(cli, turn, account, fallback)
  if ("refused" in drive) return unavailableTurn(drive.refused)
  const env = await prepareProgram(deps, task, drive.command)
  const { title } = cli
  const wanted = { cli: input.cli, file: drive.command.file, path: env.PATH ?? "", toolPath: task.toolPath }
  const found = await resolveProgram(deps, wanted, { signal })
  if ("outcome" in found) return unavailableTurn(found.outcome.message, found.outcome.problem)
  const program = await confined(deps, task, found, env)
  const { folder, user } = deps
  const files = user?.files ?? ownFiles
  if (resume !== null) await settleSession(files, home, input.cli, resume)
  const plan = { cli: input.cli, title, model, program, root, cwd, env, folder, user, attempt, gateway, ...terminal }
  if ("terminal" in drive) return await runTerminalTurn(deps, { ...plan, drive }, { signal })
  return await runTurn(
    deps,
    { ...plan, drive, files, resolvePaths: (paths) => resolvePaths(files, root, paths) },
    { signal },
  )
}

/** Lets a person work with the agent in its own UI until they exit the UI or hand back. */
async function withPerson(deps: TaskDeps, task: Task, resume: string, signal: AbortSignal): Promise<void> {
  const { input, root, cwd, home, account, tools } = task
  const { model, reasoning, terminal } = input
  const mode = startMode(deps.decisions.policy)
  const cli = cliOf(input.cli, account.added)
  if (!cli.tui) return
  await using admission = await deps.admitProject(cli, { mode, signal })
  const { isTrusted } = admission
  const turn = { prompt: "", root, cwd, home, model, reasoning, resume, mode, isTrusted, tools }
  const command = cli.tui(turn, account)
  const env = await prepareProgram(deps, task, command)
  const wanted = { cli: input.cli, file: command.file, path: env.PATH ?? "", toolPath: task.toolPath }
  const found = await resolveProgram(deps, wanted, { signal })
  const { title } = cli
  if ("outcome" in found) return
  const program = await confined(deps, task, found, env)
  const { folder, user } = deps
  await settleSession(user?.files ?? ownFiles, home, input.cli, resume)
  await runTuiSession(deps, { title, command, program, cwd, env, folder, user, ...terminal }, { signal })
}

function unavailableTurn(
  message: string,
  problem: ProgramUnavailable["outcome"]["problem"] = "not_installed",
): EndOfTurn {
  const outcome = { type: "failed" as const, problem, message }
  const end = { summary: undefined, nativeSession: null, lastMessage: "", spoke: true, takenOver: false }
  return { outcome, ...end, failingSince: null, hasWorked: false, parked: undefined }
}

async function appendMilestone(deps: TaskDeps, summary: Summary): Promise<void> {
  const { change_summary, ...details } = summary
  await deps.append([
    { type: "milestone", milestone_type: "coding_complete", title: "Done", summary: change_summary, details },
  ])
}
