import type { WorktreeRequest } from "@switchyard/core/agents/runner/worktree-command-rules"
import { appendAsRunner } from "@switchyard/core/agents/terminals/rules"
import { AppError, isAppError } from "@switchyard/core/errors"
import type { NewEvent } from "@switchyard/core/events"
import type { ShellRequest, WorktreeCommand, WorktreeQuery } from "@switchyard/core/files/worktrees/command-schema"
import { worktreeOf } from "@switchyard/core/files/worktrees/state"
import { runQuery, type Worktrees } from "@switchyard/core/files/worktrees/worktrees"
import { logName } from "@switchyard/core/kernel/keys"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import type { Log } from "@switchyard/core/log/log"
import { runInWorktree, runningInWorktree, runOf } from "@switchyard/core/work/runs/state"
import type { Worktree } from "../../git/worktrees/worktree-record.ts"
import type { Autosave, SaveOptions } from "../autosave.ts"
import { createBackgroundTask } from "../background-task.ts"
import { openWorktrees } from "../open-worktrees.ts"
import type { ProjectDeps } from "../project-deps.ts"
import { createStatusPublisher, statusOf } from "../status-publisher.ts"
import { createWorkspaceSaver } from "../workspace-saver.ts"
import { openedWorktree } from "../worktree-location.ts"
import { snapshotFiles } from "../worktree-snapshot.ts"
import { createCommandEffects } from "./command-effects.ts"
import { createCommandExecutor } from "./command-executor.ts"
import { createExclusive } from "./exclusive.ts"
import { createFolderWatch } from "./folder-watch.ts"
import { createFollowState } from "./follow-state.ts"
import { createLookTimes } from "./look-times.ts"

export interface CommandsDeps {
  log: Log
  project: ProjectDeps
  autosave: Autosave
  report: (error: unknown) => void
  /** Opens a person's shell in a worktree. */
  openShell: (worktree: Worktree, name: string, size: ShellRequest) => Promise<object>
}

/** Runs commands for one of the session's worktrees, and publishes the worktree's status. */
export interface Commands {
  /** True while a command or its follow-up is running. */
  readonly busy: boolean
  /**
   * Answers commands that a previous runner left, and runs all other commands in order. Publishes the worktree's status
   * after each command, and while agents work if the worktree has changed.
   */
  serve(options: { signal: AbortSignal }): Promise<void>
  /** Returns once no command is running and none is left from a previous runner. An agent may then start to work. */
  idle(options: { signal: AbortSignal }): Promise<void>
  /** Runs the last part of a task. Meanwhile, no command runs and nothing else reads the whole worktree. */
  alone<T>(task: () => Promise<T>): Promise<T>
  /** Publishes the worktree's status if it has changed. On failure, reports the error and returns false. */
  publish(options: SaveOptions & { brief: boolean }): Promise<boolean>
  /**
   * Records that the run's task has already published and saved everything, so these steps are skipped when the run
   * ends.
   */
  conclude(runId: string): void
}

export function createCommands(deps: CommandsDeps, session: SessionLog, generation: number): Commands {
  const { log, project, autosave } = deps
  const { worktree } = project
  const worktrees = createWorktreeOpener(project, session, generation)
  const publish = createStatusPublisher({ project, open: worktrees.open }, session, generation)
  const saver = createWorkspaceSaver(
    { project, open: worktrees.open, publish, report: deps.report },
    session,
    generation,
  )
  const concluded = new Set<string>()
  const looks = createBackgroundTask()
  const times = createLookTimes(project.clock)
  const watch = createFolderWatch(times.note)
  // Stop reading the status when a task begins, because the task makes that status outdated.
  const exclusive = createExclusive(() => looks.stop())
  const caughtUp = Promise.withResolvers<void>()
  let isCaughtUp = false
  const effects = createCommandEffects({ log, project, saver, open: worktrees.openFor }, session)
  const executor = createCommandExecutor(
    { project, report: deps.report, ...effects, query, conclude: concludeCommand },
    session,
    generation,
  )
  const publishAndSave = (signal: AbortSignal) => Promise.all([publish(signal), autosave.save({ signal })])

  async function query(asked: WorktreeQuery, signal: AbortSignal): Promise<object> {
    if (asked.question !== "shell") await saver.takeIn({ signal })
    const opened = await worktrees.open(signal)
    const { sid, state } = session
    if (asked.question === "status") {
      return statusOf(project, opened, { held: worktreeOf(state, worktree).heldDeletions }, { signal })
    }
    if (asked.question !== "shell" && asked.question !== "snapshot") return runQuery(opened, asked, { signal })
    const status = await opened.status({ signal })
    const about = { sid, repository: state.session.repository, state }
    const found = status.exists ? await openedWorktree(project, about, { signal }) : undefined
    if (!found) throw new AppError("worktree_not_found", "The session has no worktree.")
    if (asked.question === "shell") return deps.openShell(found.worktree, worktree, asked)
    return snapshotFiles(project, { ...about, path: found.worktree.tree, status, since: asked.since }, { signal })
  }

  async function serve({ signal }: { signal: AbortSignal }): Promise<void> {
    await session.catchUp({ signal })
    const { head } = session.state
    try {
      await inTurn(() => executor.executeWaiting({ signal }), signal)
    } finally {
      isCaughtUp = true
      caughtUp.resolve()
    }
    const hasWork = runInWorktree(session.state, worktree) !== undefined
    if (worktreeOf(session.state, worktree).saving && !hasWork && !project.background.busy) saver.start({ signal })
    await Promise.all([follow(head, signal), look(signal)])
    await Promise.all([looks.stop(), project.background.stop()])
    watch.close()
  }

  async function follow(since: number, signal: AbortSignal): Promise<void> {
    const next = createFollowState(worktree, (runId) => runOf(session.state, runId)?.worktree)
    for await (const event of log.tail(logName(session.sid), since, { signal })) {
      if (event.type === "heartbeat") continue
      const due = next(event)
      if (due === "look" || due === "start") times.note()
      // Announce a new worktree now, so that clients needn't wait for the next status.
      if (due === "start" && !worktreeOf(session.state, worktree).exists) lookNow(signal, true)
      if (due === "command" && event.type === "worktree_command_requested")
        await inTurn(() => executor.execute(event, { signal }), signal)
      if (due === "run") await inTurn(() => saveAfterRun(event.run_id, signal), signal)
      if (due === "turn") await inTurn(() => publishAndSave(signal), signal)
    }
  }

  function inTurn(task: () => Promise<unknown>, signal: AbortSignal): Promise<boolean> {
    const caughtUp = async () => {
      await session.catchUp({ signal })
      await task()
    }
    return reporting(() => exclusive.run(caughtUp), signal)
  }

  /** Runs the task and reports its failure, unless another runner has claimed the session. Returns true on success. */
  async function reporting(task: () => Promise<void>, signal: AbortSignal): Promise<boolean> {
    try {
      await task()
      return true
    } catch (error) {
      // A damaged worktree is repaired and reported after its agent has finished.
      const isExpected = isAppError(error, "run_superseded") || isAppError(error, "worktree_damaged")
      if (!signal.aborted && !isExpected) deps.report(error)
      return false
    }
  }

  async function look(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await times.next({ signal })
      lookNow(signal, false)
    }
  }

  /** Publishes the status in the background, unless a status is already being read or the worktree is in use. */
  function lookNow(signal: AbortSignal, isBrief: boolean): void {
    const publishWork = async (options: { signal: AbortSignal }) => {
      const state = await session.catchUp(options)
      if (!runningInWorktree(state, worktree)) return watch.close()
      const seen = await publish(options.signal, { isBrief, ifChanged: !isBrief })
      if (seen?.path) await watch.follow(seen.path, seen.ignored)
    }
    // A look that can't be taken now, or that fails, is taken at the next time.
    if (exclusive.isBusy || looks.busy) times.note()
    else looks.start(publishWork, times.note, { signal })
  }

  /** Saves the work regardless of how its run ended, because a cancelled run can no longer commit. */
  async function saveAfterRun(runId: string | null | undefined, signal: AbortSignal): Promise<void> {
    if (concluded.delete(runId ?? "")) return
    if (runInWorktree(session.state, worktree) === undefined) await effects.saveFiles(false, signal)
    await publishAndSave(signal)
  }

  /**
   * Updates the session's files, the status and the save after a command. Each step runs even if another step fails.
   */
  async function concludeCommand(done: WorktreeCommand | undefined, signal: AbortSignal): Promise<void> {
    const saved = await settled(() => done && effects.saveFiles(done.command === "reset", signal))
    const published = await settled(() => publishAndSave(signal))
    const failure = [saved, published].find(({ status }) => status === "rejected")
    if (failure?.status === "rejected") throw failure.reason
  }

  return {
    get busy() {
      return !isCaughtUp || exclusive.isBusy || project.background.busy
    },
    serve,
    async idle({ signal }) {
      const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }))
      await Promise.race([caughtUp.promise.then(() => exclusive.settled()), stopped])
      signal.throwIfAborted()
    },
    alone: exclusive.run,
    publish: ({ brief, committed, signal }) =>
      reporting(async () => {
        await session.catchUp({ signal })
        await publish(signal, { isBrief: brief, committed })
      }, signal),
    conclude: (runId) => void concluded.add(runId),
  }
}

/** Creates functions that open the session's worktree. A command that discards the worktree accepts a damaged one. */
function createWorktreeOpener(project: ProjectDeps, session: SessionLog, generation: number) {
  function open(signal: AbortSignal, isThrownAway = false): Promise<Worktrees> {
    const { sid, state } = session
    const isBusy = runningInWorktree(state, project.worktree) !== undefined
    const damaged = isThrownAway ? "ignore" : isBusy ? "refuse" : "repair"
    const append = (events: NewEvent[]) => session.decide(appendAsRunner(generation, events), { signal })
    return openWorktrees(project, { sid, repository: state.session.repository, state, damaged, append }, { signal })
  }
  return {
    open: (signal: AbortSignal) => open(signal),
    openFor(request: WorktreeRequest, signal: AbortSignal): Promise<Worktrees> {
      if (!("command" in request)) return open(signal)
      return open(signal, request.command === "delete" || (request.command === "create" && request.reset === true))
    },
  }
}

async function settled(task: () => unknown): Promise<PromiseSettledResult<unknown>> {
  const [result] = await Promise.allSettled([(async () => task())()])
  return result
}
