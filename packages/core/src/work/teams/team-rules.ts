import type { PermissionMode } from "../../agents/permissions/schema.ts"
import { AppError } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import type { Rule, Verdict } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import { charLimit } from "../../text/text-limits-schema.ts"
import { isEnded, runOf } from "../runs/state.ts"
import { waking } from "../runs/waking.ts"
import { refused, teamOf, workerOf } from "./refusals.ts"
import {
  AUTONOMOUS,
  COMMAND_MODEL,
  COORDINATOR,
  EVERYBODY,
  HARNESSED,
  HUMAN,
  MAX_CONCURRENT,
  MAX_UNREAD,
  MAX_WORKERS,
  type TeamInput,
  type TeamMode,
  type WorkerCommand,
} from "./schema.ts"
import { isProgram, nodesIn, type TeamState, type WorkerState } from "./state.ts"

/** Starts a team in the batch that creates its run. A session has at most one running team. */
export function startTeam(
  runId: string,
  input: Omit<TeamInput, "mode"> & { mode?: TeamMode; permission_mode?: PermissionMode },
): Rule {
  const { goal, images, max_concurrent, mode, permission_mode, commands, repository } = input
  return (state) => {
    const run = state.team && runOf(state, state.team.runId)
    if (run && !isEnded(run)) return refused("This session already has an active team.", { run_id: run.runId })
    const about = { run_id: runId, agent_id: COORDINATOR }
    const atOnce = Math.min(max_concurrent, MAX_CONCURRENT)
    const place = { ...(repository !== undefined && { repository }), ...(images && { images }) }
    const modes = { mode, permission_mode }
    return [
      {
        type: "team_started",
        ...about,
        goal,
        max_concurrent: atOnce,
        ...modes,
        ...place,
        ...(commands && { commands }),
      },
    ]
  }
}

const MAX_NAME_CHARS = 40

export type NewWorker = Pick<WorkerState, "workerId" | "name" | "role" | "model" | "maxIterations">

/** Adds a worker under a unique name. */
export function spawnWorker(
  team: TeamState,
  worker: NewWorker & Partial<Pick<WorkerState, "type" | "worktree">> & { runs?: WorkerCommand },
): Verdict {
  const name = worker.name.trim().slice(0, MAX_NAME_CHARS)
  if (name === "") return refused("A worker needs a name.")
  if ([COORDINATOR, HUMAN, EVERYBODY].includes(name.toLowerCase())) return refused(`${name} isn't a valid worker name.`)
  if (!(workerOf(team, name) instanceof AppError)) return refused(`There is already a worker named ${name}.`)
  if (Object.keys(team.workers).length >= MAX_WORKERS) return refused(`A team can have at most ${MAX_WORKERS} workers.`)
  const { workerId: worker_id, role, model, maxIterations: max_iterations } = worker
  const { type: worker_type = HARNESSED, worktree, runs } = worker
  const limits = runs && { timeout_seconds: runs.timeout_seconds, network: runs.network }
  const about = { worker_id, name, role: role.slice(0, 500), worker_type, model, max_iterations }
  return [
    {
      type: "worker_spawned",
      ...about,
      ...(worktree && { worktree }),
      ...(runs && { command: runs.command, command_limits: limits }),
    },
  ]
}

/** Adds a command as a worker. Its runs don't call models. */
export function spawnCommand(team: TeamState, worker: Omit<NewWorker, "model">, runs: WorkerCommand): Verdict {
  return spawnWorker(team, { ...worker, model: COMMAND_MODEL, type: AUTONOMOUS, runs })
}

export interface NewTeamMessage {
  from: string
  /** Name or ID of a worker, `coordinator`, `human` or `all`. */
  to: string
  content: string
  suggestion?: boolean
  /** ID of the message in a program's queue. */
  messageId: string
  /** Idempotency key of the request. */
  key?: string
}

/** Sends a message. `from` must be set by the platform, so that members can't impersonate each other. */
export function sendMessage(
  team: TeamState,
  { from, to, content, suggestion, messageId, key }: NewTeamMessage,
): Verdict {
  if (content.trim() === "") return refused("The message is empty.")
  const [max, { error }] = charLimit("goal")
  if (content.length > max) return refused(error())
  const recipient = recipientOf(team, to)
  if (recipient instanceof AppError) return recipient
  if (recipient === from) return refused("You can't send a message to yourself.")
  if ((team.inboxes[recipient]?.length ?? 0) >= MAX_UNREAD) return refused(`${to} has ${MAX_UNREAD} unread messages.`)
  const message: NewEvent = { type: "team_message_sent", from, to: recipient, content, ...(key && { key }) }
  return [
    suggestion ? { ...message, suggestion } : message,
    ...queuedFor(team, { from, to: recipient, content, messageId }),
  ]
}

/** Queues a message for each program among its recipients. A program receives each message in a separate turn. */
export function queuedFor(team: TeamState, { from, to, content, messageId }: NewTeamMessage): NewEvent[] {
  const programs = Object.values(team.workers).filter(isProgram)
  const recipients = programs.filter(({ workerId }) => workerId !== from && (to === EVERYBODY || to === workerId))
  const source = `agent:${team.workers[from]?.name ?? from}`
  return recipients.map(({ workerId: agent_id }, at) => {
    return { type: "agent_message_queued", agent_id, message_id: `${messageId}-${at}`, content, source }
  })
}

function recipientOf(team: TeamState, to: string): string | AppError {
  const word = to.trim().toLowerCase()
  if ([COORDINATOR, HUMAN, EVERYBODY].includes(word)) return word
  const worker = workerOf(team, to.trim())
  return worker instanceof AppError ? worker : worker.workerId
}

/** Sends a person's message, which also resumes a paused or stopped team. Idempotent by key. */
export function sayToTeam(message: Omit<NewTeamMessage, "from">): Rule {
  return onTeam((team) => {
    if (message.key !== undefined && team.messageKeys.includes(message.key)) return []
    const sent = sendMessage(team, { ...message, from: HUMAN })
    if (sent instanceof AppError || !team.halted) return sent
    return [...sent, resumed(team)]
  })
}

/** Pauses or resumes the team. Does nothing if the team is already in the requested state. */
export function setTeam(to: "paused" | "resumed"): Rule {
  return onTeam((team) => {
    if (to === "resumed") return team.halted ? [resumed(team)] : []
    return team.halted ? [] : [{ type: "team_paused", run_id: team.runId, agent_id: COORDINATOR }]
  })
}

/**
 * Stops the team and cancels the runs of its running nodes. Parked runs are left alone, because they don't continue
 * until the team is resumed.
 */
export function stopTeam(reason: string): Rule {
  return onTeam((team, state) => {
    if (team.halted === "stopped") return []
    const runs = nodesIn(team, "running").flatMap((node) => runOf(state, node.runs.at(-1)?.runId ?? "") ?? [])
    const working = runs.filter(({ status, cancelReason }) => status === "running" && cancelReason === null)
    const requests = working.map(({ runId: run_id, agentId: agent_id }): NewEvent => {
      return { type: "run_cancel_requested", run_id, agent_id, reason }
    })
    return [{ type: "team_stopped", run_id: team.runId, agent_id: COORDINATOR }, ...requests]
  })
}

function resumed({ runId }: TeamState): NewEvent {
  return { type: "team_resumed", run_id: runId, agent_id: COORDINATOR }
}

/**
 * Wraps a rule so that it requires a team that hasn't ended. Also wakes runs that wait for the events that the rule
 * returns.
 */
export function onTeam(decide: (team: TeamState, state: SessionState) => Verdict): Rule {
  return waking((state) => {
    const team = teamOf(state)
    if (team instanceof AppError) return team
    const run = runOf(state, team.runId)
    if (!run || isEnded(run))
      return new AppError("run_ended", "The team has ended. Start a new one.", { run_id: team.runId })
    return decide(team, state)
  })
}
