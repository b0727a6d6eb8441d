import { createHash } from "node:crypto"
import { AppError, isAppError } from "@switchyard/core/errors"
import type { EventOf, LogEvent, NewEvent } from "@switchyard/core/events"
import type { Log } from "@switchyard/core/log/log"
import { readField } from "@switchyard/core/log/payload"
import { endsRun } from "@switchyard/core/runs/follow"
import { logName } from "@switchyard/core/sessions/keys"
import type { SessionLog } from "@switchyard/core/sessions/session-log"
import { activeRuns } from "@switchyard/core/sessions/state"
import { asRunner } from "@switchyard/core/terminals/rules"
import { commitChanges } from "@switchyard/core/workspaces/commit"
import { type CommandEnd, finishCommand, type WorktreeRequest } from "@switchyard/core/worktrees/commands"
import { ask, WorktreeQuestion } from "@switchyard/core/worktrees/questions"
import type { ConfirmedDeletions, HeldDeletions } from "@switchyard/core/worktrees/schema"
import { perform, WorktreeCommand, type Worktrees } from "@switchyard/core/worktrees/worktrees"
import * as z from "zod"
import { tellDeletions } from "./deletions.ts"
import type { Keeper } from "./keeper.ts"
import { noteCommitted, openWorktrees, type ProjectDeps, unsavedChanges } from "./project.ts"

export interface CommandsDeps {
  log: Log
  project: ProjectDeps
  keeper: Keeper
  report: (error: unknown) => void
}

/** What people ask of a session's worktree, and what is told of it. */
export interface Commands {
  /** Whether something is being done. */
  readonly busy: boolean
  /** Does what is asked, one after the other, and tells how the worktree is after each and while agents work. */
  serve(options: { signal: AbortSignal }): Promise<void>
}

/** How often a worktree in which an agent works is looked at. */
const LOOK_EVERY_MS = 5000

export function createCommands(deps: CommandsDeps, session: SessionLog, generation: number): Commands {
  const { log, project, keeper } = deps
  const { sid } = session
  let busy = false
  let told = ""

  const open = (signal: AbortSignal, isThrownAway = false) => {
    const { state } = session
    const isBusy = activeRuns(state).some(({ kind, status }) => kind === "agent" && status === "running")
    const damaged = isThrownAway ? "ignore" : isBusy ? "refuse" : "repair"
    const tell = (events: NewEvent[]) => say(events, signal)
    return openWorktrees(project, { sid, repository: state.repository, state, damaged, tell }, { signal })
  }
  const say = (events: NewEvent[], signal: AbortSignal) => session.decide(asRunner(generation, events), { signal })

  async function serve({ signal }: { signal: AbortSignal }): Promise<void> {
    await session.catchUp({ signal })
    const first = Math.min(session.state.head, ...Object.values(session.state.worktree.pending).map((seq) => seq - 1))
    await Promise.all([follow(first, signal), look(signal)])
  }

  async function follow(since: number, signal: AbortSignal): Promise<void> {
    for await (const event of log.tail(logName(sid), since, { signal })) {
      if (event.type === "heartbeat") continue
      busy = true
      try {
        await session.catchUp({ signal })
        if (isPending(event)) await execute(event, signal)
        else if (endsRun(event)) await settle(signal)
        else if (event.type === "agent_turn_finished") await Promise.all([tell(signal), keeper.save({ signal })])
      } catch (error) {
        if (signal.aborted || isAppError(error, "run_superseded")) return
        // It is put right, and told, when the agent is done.
        if (!isAppError(error, "worktree_damaged")) deps.report(error)
      } finally {
        busy = false
      }
    }
  }

  async function look(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await project.clock.sleep(LOOK_EVERY_MS, { signal }).catch(() => undefined)
      const working = activeRuns(session.state).some(({ status }) => status === "running")
      // Somebody else has the same worktree: another look tells what this one missed.
      if (working && !busy) await tell(signal).catch(() => undefined)
    }
  }

  /** However a run ended: one that was cancelled may commit nothing any more, and its work is kept all the same. */
  async function settle(signal: AbortSignal): Promise<void> {
    if (!activeRuns(session.state).some(({ kind }) => kind === "agent")) await bringToWorkspace(signal)
    await Promise.all([tell(signal), keeper.save({ signal })])
  }

  function isPending(event: LogEvent): event is EventOf<"worktree_command_requested"> {
    return (
      event.type === "worktree_command_requested" && Object.hasOwn(session.state.worktree.pending, event.command_id)
    )
  }

  async function execute(event: EventOf<"worktree_command_requested">, signal: AbortSignal): Promise<void> {
    const request = await readField(project.blobs, event.command, Request, { signal })
    const end = await attempt(request, signal)
    if ("command" in request && end.error === null) await bringToWorkspace(signal, request.command === "reset")
    if ("command" in request) await Promise.all([tell(signal), keeper.save({ signal })])
    await session.decide(finishCommand(generation, event.command_id, end), { signal })
  }

  async function attempt(request: WorktreeRequest, signal: AbortSignal): Promise<CommandEnd> {
    try {
      const answer = await answerTo(request, signal)
      return { answer: JSON.parse(JSON.stringify(answer)), error: null }
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof AppError)) deps.report(error)
      return { answer: null, error: errorOf(error) }
    }
  }

  async function answerTo(request: WorktreeRequest, signal: AbortSignal) {
    if (!("command" in request)) return ask(await open(signal), request, { signal })
    if (request.command === "confirm_deletions") return confirmDeletions(signal)
    const isThrownAway = request.command === "delete" || (request.command === "create" && request.reset === true)
    return perform(await open(signal, isThrownAway), request, { signal })
  }

  async function confirmDeletions(signal: AbortSignal): Promise<ConfirmedDeletions> {
    const { heldDeletions } = session.state.worktree
    if (!heldDeletions) throw new AppError("worktree_conflict", "No deletions wait to be confirmed.")
    await bringToWorkspace(signal, true)
    return { deleted_files: heldDeletions.count, message: "The files are deleted from the session, too." }
  }

  /** So that the editor and the zip show what a merge or a reset made of the files. `asked`: somebody wants what goes to go. */
  async function bringToWorkspace(signal: AbortSignal, asked = false): Promise<void> {
    const { path } = await (await open(signal)).status({ signal })
    const { state } = session
    if (path === null) {
      await say(tellDeletions(state, undefined), signal)
      return
    }
    const about = { sid, repository: state.repository, state }
    const { changes, events } = await unsavedChanges(project, { ...about, path, asked }, { signal })
    if (changes.length > 0) {
      const guard = (events: NewEvent[]) => asRunner(generation, events)
      await commitChanges({ blobs: project.blobs }, session, changes, { guard, signal })
    }
    await say(events, signal)
    await noteCommitted(project, about, { before: state.workspace, after: session.state.workspace })
  }

  /** Tells how the worktree is, unless it was told so before. */
  async function tell(signal: AbortSignal): Promise<void> {
    const known = { leftOut: project.leftOut, held: session.state.worktree.heldDeletions }
    const event = await describe(await open(signal), known, signal)
    const digest = createHash("sha256").update(JSON.stringify(event)).digest("hex")
    if (digest === told) return
    await say([event], signal)
    told = digest
  }

  return {
    get busy() {
      return busy
    },
    serve,
  }
}

const Request = z.union([WorktreeCommand, WorktreeQuestion])

async function describe(
  worktrees: Worktrees,
  { leftOut, held }: { leftOut: ProjectDeps["leftOut"]; held: HeldDeletions | null },
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
    status.exists ? worktrees.fullDiff({}, { signal }) : null,
    status.merge ? worktrees.conflicts({ signal }) : null,
  ])
  return { type: "worktree_changed", status, branches, diff, conflicts }
}

function errorOf(error: unknown): NonNullable<CommandEnd["error"]> {
  if (!(error instanceof AppError))
    return { code: "git_error", message: "The worktree could not be changed.", details: {} }
  const { code, message, details } = error
  return { code, message, details: JSON.parse(JSON.stringify(details)) }
}
