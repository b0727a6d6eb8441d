import { createHash } from "node:crypto"
import type { WorktreeRequest } from "@switchyard/core/agents/runner/worktree-command-rules"
import { asRunner } from "@switchyard/core/agents/terminals/rules"
import { AppError, isAppError } from "@switchyard/core/errors"
import type { NewEvent } from "@switchyard/core/events"
import { CommittedChange } from "@switchyard/core/files/workspaces/schema"
import type { WorktreeCommand } from "@switchyard/core/files/worktrees/command-schema"
import type { ConfirmedDeletions, HeldDeletions } from "@switchyard/core/files/worktrees/schema"
import { type CommandOptions, perform, type Worktrees } from "@switchyard/core/files/worktrees/worktrees"
import { logName } from "@switchyard/core/kernel/keys"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import type { Log } from "@switchyard/core/log/log"
import { readField } from "@switchyard/core/log/payload"
import { createQueue } from "@switchyard/core/time"
import { endsRun } from "@switchyard/core/work/runs/schema"
import { runInWorktree, runningInWorktree } from "@switchyard/core/work/runs/state"
import * as z from "zod"
import type { Autosave } from "./autosave.ts"
import { createBackgroundTask } from "./background-task.ts"
import { createCommandExecutor } from "./command-executor.ts"
import { openWorktrees } from "./open-worktrees.ts"
import type { ProjectDeps } from "./project-deps.ts"
import { createWorkspaceSaver } from "./workspace-saver.ts"

export interface CommandsDeps {
  log: Log
  project: ProjectDeps
  autosave: Autosave
  report: (error: unknown) => void
}

/** What people ask of a session's worktree, and what is told of it. */
export interface Commands {
  /** Whether something is being done. */
  readonly busy: boolean
  /**
   * Answers what an older runner left, carries commands out one after the other, and tells how the worktree is after each
   * and while agents work.
   */
  serve(options: { signal: AbortSignal }): Promise<void>
  /** Resolves when no command is under way, nor one of an older runner's unanswered: an agent may begin to work then. */
  idle(options: { signal: AbortSignal }): Promise<void>
  /** Runs the end of a task. Meanwhile no command is carried out, and nothing else reads the whole worktree. */
  alone<T>(task: () => Promise<T>): Promise<T>
  /**
   * Tells how the worktree is, unless it was told so before; `brief` leaves the diff to whoever asks for it. A failure is
   * reported, not thrown.
   */
  tell(options: { brief: boolean; signal: AbortSignal }): Promise<void>
}

/** How often a worktree in which an agent works is looked at. */
const LOOK_EVERY_MS = 5000

export function createCommands(deps: CommandsDeps, session: SessionLog, generation: number): Commands {
  const { log, project, autosave } = deps
  const { sid } = session
  let active = 0
  let told = ""

  const open = (signal: AbortSignal, isThrownAway = false) => {
    const { state } = session
    const isBusy = runningInWorktree(state) !== undefined
    const damaged = isThrownAway ? "ignore" : isBusy ? "refuse" : "repair"
    const append = (events: NewEvent[]) => say(events, signal)
    return openWorktrees(project, { sid, repository: state.session.repository, state, damaged, append }, { signal })
  }
  const openFor = (request: WorktreeRequest, signal: AbortSignal) => {
    if (!("command" in request)) return open(signal)
    return open(signal, request.command === "delete" || (request.command === "create" && request.reset === true))
  }
  const hasWork = () => runInWorktree(session.state) !== undefined
  const say = (events: NewEvent[], signal: AbortSignal) => session.decide(asRunner(generation, events), { signal })

  const saver = createWorkspaceSaver({ project, open, tell, report: deps.report }, session, generation)
  const oneAtATime = createQueue()
  const looks = createBackgroundTask()
  // What was asked for before this runner began is to be done, too.
  let isCaughtUp = false
  const caughtUp = Promise.withResolvers<void>()
  const carrier = createCommandExecutor(
    { ...deps, open: openFor, perform: performCommand, recover, conclude },
    session,
    generation,
  )

  async function serve({ signal }: { signal: AbortSignal }): Promise<void> {
    await session.catchUp({ signal })
    const { head } = session.state
    try {
      await doing(() => carrier.executeWaiting({ signal }), signal)
    } finally {
      isCaughtUp = true
      caughtUp.resolve()
    }
    const { saving } = session.state.worktree
    if (saving && !hasWork() && !project.background.busy) saver.start({ signal })
    await Promise.all([follow(head, signal), look(signal)])
    await Promise.all([looks.stop(), project.background.stop()])
  }

  async function follow(since: number, signal: AbortSignal): Promise<void> {
    let isTurnOver = false
    for await (const event of log.tail(logName(sid), since, { signal })) {
      if (event.type === "worktree_command_requested") {
        await doing(() => carrier.execute(event, { signal }), signal)
      } else if (event.type !== "heartbeat" && endsRun(event)) {
        isTurnOver = false
        await doing(() => saveAfterRun(signal), signal)
      } else if (event.type === "agent_turn_finished") {
        isTurnOver = true
      } else if (event.type === "agent_turn_started" && isTurnOver) {
        // Of the last turn the task itself tells and saves the work, with what it commits.
        isTurnOver = false
        await doing(() => Promise.all([tell(signal), autosave.save({ signal })]), signal)
      }
    }
  }

  const doing = (task: () => Promise<unknown>, signal: AbortSignal) =>
    reporting(async () => {
      await alone(async () => {
        await session.catchUp({ signal })
        await task()
      })
    }, signal)

  /** Reports what fails, unless the session is another runner's by then. */
  async function reporting(task: () => Promise<void>, signal: AbortSignal): Promise<void> {
    try {
      await task()
    } catch (error) {
      // A damaged worktree is put right, and told of, when the agent is done.
      const isExpected = isAppError(error, "run_superseded") || isAppError(error, "worktree_damaged")
      if (!signal.aborted && !isExpected) deps.report(error)
    }
  }

  /** Runs one task at a time. A look at the worktree is called off: what the task does makes it out of date. */
  async function alone<T>(task: () => Promise<T>): Promise<T> {
    active++
    try {
      return await oneAtATime(async () => {
        await looks.stop()
        return task()
      })
    } finally {
      active--
    }
  }

  async function idle({ signal }: { signal: AbortSignal }): Promise<void> {
    const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }))
    await Promise.race([caughtUp.promise.then(() => oneAtATime(async () => {})), stopped])
    signal.throwIfAborted()
  }

  async function look(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await project.clock.sleep(LOOK_EVERY_MS, { signal }).catch(() => undefined)
      // Somebody else has the same worktree: another look tells what this one missed.
      if (active === 0 && !looks.busy) looks.start(tellOfWork, () => {}, { signal })
    }
  }

  async function tellOfWork({ signal }: { signal: AbortSignal }): Promise<void> {
    const state = await session.catchUp({ signal })
    if (runningInWorktree(state)) await tell(signal)
  }

  /** Saves the work however its run ended: one that was cancelled can commit nothing any more. */
  async function saveAfterRun(signal: AbortSignal): Promise<void> {
    if (!hasWork()) await bringToWorkspace(signal)
    await Promise.all([tell(signal), autosave.save({ signal })])
  }

  /** What follows from a command that was carried out, for the session's files and for people. */
  async function conclude(done: WorktreeCommand | undefined, signal: AbortSignal): Promise<void> {
    const brought = await settled(() => done && bringToWorkspace(signal, done.command === "reset"))
    const told = await settled(() => Promise.all([tell(signal), autosave.save({ signal })]))
    const [failure] = [brought, told].filter(({ status }) => status === "rejected")
    if (failure?.status === "rejected") throw failure.reason
  }

  async function performCommand(command: WorktreeCommand, options: CommandOptions) {
    if (command.command === "confirm_deletions") return confirmDeletions(options.signal)
    await project.background.stop()
    return perform(await openFor(command, options.signal), command, options)
  }

  async function confirmDeletions(signal: AbortSignal): Promise<ConfirmedDeletions> {
    const { heldDeletions } = session.state.worktree
    if (!heldDeletions) throw new AppError("worktree_conflict", "No deletions wait to be confirmed.")
    await bringToWorkspace(signal, true)
    return confirmed(heldDeletions.count)
  }

  async function recover(command: WorktreeCommand, options: CommandOptions & { commandId: string }) {
    if (command.command === "confirm_deletions") return findConfirmed(options)
    return (await openFor(command, options.signal)).recover(command, options)
  }

  /** The log has the deletion and that it was confirmed in one batch, or neither. */
  async function findConfirmed({ commandId, signal }: { commandId: string; signal: AbortSignal }) {
    const since = session.state.worktree.pending[commandId]?.seq ?? session.state.head
    let deleted = 0
    for await (const event of log.read(logName(sid), since, { signal })) {
      if (event.type === "deletions_settled" && event.confirmed) return confirmed(deleted)
      if (event.type !== "workspace_committed") continue
      const changes = await readField(project.blobs, event.changes, z.array(CommittedChange), { signal })
      deleted = changes.filter(({ op }) => op === "delete").length
    }
    return undefined
  }

  /** So that the editor and the zip show what a merge or a reset made of the files. `asked`: somebody wants what goes to go. */
  async function bringToWorkspace(signal: AbortSignal, asked = false): Promise<void> {
    await project.background.stop()
    await saver.bring(asked, { signal })
  }

  /** Tells how the worktree is, unless it was told so before. */
  async function tell(signal: AbortSignal, brief = false): Promise<void> {
    const known = { leftOut: project.leftOut, held: session.state.worktree.heldDeletions, brief }
    const event = await describe(await open(signal), known, signal)
    const digest = createHash("sha256").update(JSON.stringify(event)).digest("hex")
    if (digest === told) return
    await say([event], signal)
    told = digest
  }

  return {
    get busy() {
      return !isCaughtUp || active > 0 || project.background.busy
    },
    serve,
    idle,
    alone,
    tell: ({ brief, signal }) =>
      reporting(async () => {
        await session.catchUp({ signal })
        await tell(signal, brief)
      }, signal),
  }
}

function confirmed(count: number): ConfirmedDeletions {
  return { deleted_files: count, message: "The files are deleted from the session, too." }
}

async function settled(task: () => unknown): Promise<PromiseSettledResult<unknown>> {
  const [result] = await Promise.allSettled([(async () => task())()])
  return result
}

async function describe(
  worktrees: Worktrees,
  { leftOut, held, brief }: { leftOut: ProjectDeps["leftOut"]; held: HeldDeletions | null; brief: boolean },
  signal: AbortSignal,
): Promise<NewEvent> {
  const found = await worktrees.status({ signal })
  const left_out = leftOut.get(found.path ?? "")?.slice(0, 100) ?? []
  const status = {
    ...found,
    ...(left_out.length > 0 && { left_out }),
    ...(held && { unconfirmed_deletions: held }),
  }
  const [branches, diff, conflicts] = await Promise.all([
    worktrees.branches({ signal }),
    status.exists && !brief ? worktrees.fullDiff({}, { signal }) : null,
    status.merge ? worktrees.conflicts({ signal }) : null,
  ])
  return { type: "worktree_changed", status, branches, diff, conflicts }
}
