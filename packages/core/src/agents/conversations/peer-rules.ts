import { AppError } from "../../errors.ts"
import { inLiveSession } from "../../kernel/rules.ts"
import type { Rule } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import { cancelRun } from "../../work/runs/rules.ts"
import { activeRun, runInWorktree } from "../../work/runs/state.ts"
import type { PermissionMode } from "../permissions/schema.ts"
import { permissionsOf } from "../questions/state.ts"
import { askOf, type EndReason, endEvent, endEvents, releaseEvent } from "./asks.ts"
import { type Caller, inAgentTurn } from "./caller.ts"
import { closeAgent, createAgent, findAgent, queueMessage } from "./rules.ts"
import { type AgentProgram, MAIN_AGENT } from "./schema.ts"
import { type AgentState, MAX_SENT, openAgent } from "./state.ts"

/**
 * Minimum length of a message that starts a turn without asking or answering a question. Without a minimum, agents
 * would thank each other endlessly.
 */
const QUIET_BELOW_CHARS = 40

const SENT_WITHIN_MS = 60_000

/** Maximum nesting depth of agents that start other agents. */
const MAX_DEPTH = 3

const MAX_REMINDERS = 3

/** Permission modes, least permissive first. */
const MODES: PermissionMode[] = ["plan", "ask", "accept_edits", "bypass"]

interface Sent {
  messageId: string
  content: string
  now: number
}

/**
 * Sends a message from one agent to another. The message also answers any open questions that the receiver has asked
 * the sender. If the receiver's tool call is waiting for this answer, the message isn't queued as well.
 */
export function tellAgent(caller: Caller, named: string, sent: Sent): Rule {
  return inAgentTurn(caller, (sender, state) => {
    const refused = tooMany(sender, sent.now)
    if (refused) return refused
    const target = peerOf(state, sender, named)
    const owed = Object.values(state.agents.asks).filter(({ from, to }) => {
      return from === target.agentId && to === sender.agentId
    })
    const ends = owed.map(({ messageId }) => endEvent(sender.agentId, messageId, "answered", sent.content))
    const isAwaited = owed.some(({ waitingRun }) => waitingRun !== null)
    if (isAwaited) return ends
    const isQuiet = owed.length === 0 && sent.content.trim().length < QUIET_BELOW_CHARS
    return withMore(ends, queueMessage(target.agentId, peerMessage(sender, sent, { quiet: isQuiet }))(state))
  })
}

/**
 * Asks another agent a question. The caller's tool call waits for the answer, unless the other agent can't start before
 * the caller's turn ends. Refuses a question that would make agents wait for each other in a cycle.
 */
export function askAgent(caller: Caller, named: string, sent: Sent): Rule {
  return inAgentTurn(caller, (sender, state) => {
    const refused = tooMany(sender, sent.now)
    if (refused) return refused
    const target = peerOf(state, sender, named)
    const circle = waitingPath(state, target.agentId, sender.agentId)
    if (circle) {
      const names = circle.map((id) => openAgent(state, id)?.name ?? id)
      const message = `${names.join(" waits for ")}, so this would never be answered. Tell ${names[0]} instead, or answer first.`
      return new AppError("validation_error", message, { agents: names })
    }
    const asking = { ...peerMessage(sender, sent, {}), askingRun: caller.runId }
    const queued = queueMessage(target.agentId, asking)(state)
    const isBehindCaller = runInWorktree(state, target.worktree)?.runId === caller.runId
    return isBehindCaller ? withMore(queued, [releaseEvent(sender.agentId, sent.messageId)]) : queued
  })
}

/**
 * Stops waiting for an answer. It will then be delivered as a message. Does nothing if the question was already
 * answered.
 */
export function releaseAsk(messageId: string): Rule {
  return inLiveSession((state) => {
    const ask = askOf(state, messageId)
    return ask && ask.waitingRun !== null ? [releaseEvent(ask.from, messageId)] : []
  })
}

/** Reason why a question is closed without an answer. */
export type AskFailure = "interrupted" | "failed"

/** Closes a question with the last reply of the run that received it. */
export function answerAsk(messageId: string, runId: string, { text, reply }: { text: string; reply: string }): Rule {
  return endAsk(messageId, runId, { reason: "answered", text, reply })
}

/** Closes a question because the run that received it was stopped or failed. */
export function failAsk(messageId: string, runId: string, { why, reply }: { why: AskFailure; reply: string }): Rule {
  return endAsk(messageId, runId, { reason: why, text: FAILED[why], reply })
}

const FAILED: Record<AskFailure, string> = {
  interrupted: "It was interrupted before it answered.",
  failed: "Its turn failed before it answered.",
}

function endAsk(
  messageId: string,
  runId: string,
  { reason, text, reply }: { reason: EndReason; text: string; reply: string },
): Rule {
  return inLiveSession((state) => {
    const ask = askOf(state, messageId)
    // Do nothing if the agent has been reminded since, or has answered with a message.
    if (ask?.takenBy !== runId) return []
    return endEvents(state, ask, { reason, text, reply })
  })
}

/** Reminds an idle agent of an unanswered question. Closes the question after too many reminders. */
export function remindOfAsk(messageId: string, reminder: string): Rule {
  return inLiveSession((state) => {
    const ask = askOf(state, messageId)
    const debtor = ask && openAgent(state, ask.to)
    if (!ask || !debtor || ask.unansweredAt === null) return []
    const asker = openAgent(state, ask.from)?.name ?? ask.from
    if (ask.reminders >= MAX_REMINDERS) {
      const text = `It has not answered, though it was reminded ${MAX_REMINDERS} times.`
      return endEvents(state, ask, { reason: "silent", text, reply: reminder })
    }
    const content = `You have not answered ${asker} yet. Say your answer now, or send it with tell_agent.`
    const about = { agent_id: ask.to, message_id: reminder, content, source: `agent:${asker}` }
    return [{ type: "agent_message_queued", ...about, reminds_of: messageId }]
  })
}

export interface SpawnedAgent {
  agentId: string
  name: string
  /** With `own`, the agent gets its own worktree. With `shared`, it works in the caller's worktree. */
  worktree: "own" | "shared"
  baseBranch?: string | undefined
  /** The agent's start folder in the worktree, if it isn't the worktree itself. */
  cwd?: string | undefined
  /**
   * Program of the new agent. Another agent in the session must already use this program. Defaults to the caller's
   * program.
   */
  cli?: string | undefined
  model?: string | undefined
  mode?: PermissionMode | undefined
  /** First message to the agent. */
  prompt?: { messageId: string; content: string } | undefined
  now: number
}

/** Adds an agent on behalf of another agent. The new agent can't have more permissions than the agent that adds it. */
export function spawnAgent(caller: Caller, spawned: SpawnedAgent): Rule {
  return inAgentTurn(caller, (parent, state) => {
    const { agentId, name, worktree, baseBranch, cwd, prompt, now } = spawned
    const refused = tooMany(parent, now)
    if (refused) return refused
    if (parent.depth >= MAX_DEPTH) {
      const message = `Agents can start other agents only ${MAX_DEPTH} levels deep. Do this yourself, or ask the agent that started you.`
      return new AppError("limit_reached", message, { maximum: MAX_DEPTH })
    }
    const mode = spawnedMode(state, parent, spawned.mode)
    const program = spawnedProgram(state, parent, spawned)
    if (mode instanceof AppError) return mode
    if (program instanceof AppError) return program
    const place = worktree === "own" ? "own" : parent.worktree
    const about = { agentId, name, program, mode, worktree: place, baseBranch, cwd, parent: parent.agentId }
    const created = createAgent(about)(state)
    if (created instanceof AppError || created.length === 0 || !prompt) return created
    const { messageId: message_id, content } = prompt
    const said = { agent_id: agentId, message_id, content, source: `agent:${parent.name}` }
    return [...created, { type: "agent_message_queued", ...said }]
  })
}

/** Stops another agent's turn, and optionally sends that agent a message for its next turn. */
export function interruptPeer(caller: Caller, named: string, sent: Partial<Sent> & { now: number }): Rule {
  return inAgentTurn(caller, (sender, state) => {
    const target = peerOf(state, sender, named)
    if (target.agentId === MAIN_AGENT) return notMain("Only a person can interrupt the main agent.")
    const { messageId, content, now } = sent
    const told =
      messageId === undefined || content === undefined
        ? []
        : (tooMany(sender, now) ??
          queueMessage(target.agentId, peerMessage(sender, { messageId, content, now }, {}))(state))
    const run = activeRun(state, target.agentId)
    return run ? withMore(told, cancelRun(run.runId, `Interrupted by the agent ${sender.name}.`, now)(state)) : told
  })
}

/** Closes another agent and stops its turn. Its worktree remains. */
export function closePeer(caller: Caller, named: string, now: number): Rule {
  return inAgentTurn(caller, (sender, state) => {
    const target = peerOf(state, sender, named)
    if (target.agentId === MAIN_AGENT) return notMain("The main agent can't be closed.")
    const reason = `Closed by the agent ${sender.name}.`
    const run = activeRun(state, target.agentId)
    const closed = closeAgent(target.agentId, reason)(state)
    return run ? withMore(closed, cancelRun(run.runId, reason, now)(state)) : closed
  })
}

/** Returns another open agent, by name or ID. */
function peerOf(state: SessionState, { agentId }: AgentState, named: string): AgentState {
  const found = findAgent(state, named)
  if (found.agentId === agentId) throw new AppError("validation_error", "That agent is you.")
  if (found.closedAt === null) return found
  throw new AppError("agent_closed", "This agent was closed.", { agent_id: found.agentId })
}

function tooMany({ sentAt }: AgentState, now: number): AppError | undefined {
  const recent = sentAt.filter((at) => now - Date.parse(at) < SENT_WITHIN_MS)
  if (recent.length < MAX_SENT) return undefined
  const message = `You have sent ${MAX_SENT} messages within a minute. Wait a minute, then send fewer, longer messages.`
  return new AppError("rate_limited", message, { maximum: MAX_SENT, within_seconds: SENT_WITHIN_MS / 1000 })
}

function notMain(reason: string): AppError {
  return new AppError("validation_error", `${reason} Send it a message instead.`)
}

/** Returns the chain of agents through which one agent is waiting for another. Undefined if there is none. */
function waitingPath({ agents }: SessionState, from: string, to: string): string[] | undefined {
  const waiting = Object.values(agents.asks).filter(({ waitingRun }) => waitingRun !== null)
  const paths = [[from]]
  const seen = new Set([from])
  for (let path = paths.shift(); path; path = paths.shift()) {
    const last = path.at(-1)
    if (last === to) return path
    for (const ask of waiting) {
      if (ask.from !== last || seen.has(ask.to)) continue
      seen.add(ask.to)
      paths.push([...path, ask.to])
    }
  }
  return undefined
}

function spawnedMode(
  state: SessionState,
  { agentId }: AgentState,
  wanted: PermissionMode | undefined,
): PermissionMode | AppError {
  const own = permissionsOf(state, agentId).mode ?? "bypass"
  if (wanted === undefined || MODES.indexOf(wanted) <= MODES.indexOf(own)) return wanted ?? own
  return new AppError("forbidden", `You work in ${own} mode, so you can't start agents in ${wanted} mode.`, {
    mode: own,
  })
}

/**
 * Returns the program of a spawned agent. Another agent in the session must already use this program, because only
 * people may choose accounts.
 */
function spawnedProgram(
  state: SessionState,
  { program }: AgentState,
  { cli, model }: Pick<SpawnedAgent, "cli" | "model">,
): AgentProgram | AppError {
  const programs = [program, ...Object.values(state.agents.open).map((agent) => agent.program)].filter(
    (one) => one !== null,
  )
  const [found] = cli === undefined ? programs : programs.filter((one) => one.cli === cli)
  if (!found) {
    const known = [...new Set(programs.map((one) => one.cli))]
    return new AppError("task_invalid", `No agent in this session uses ${cli}.`, { available: known })
  }
  return { ...found, ...(model !== undefined && { model }) }
}

function peerMessage({ agentId, name }: AgentState, { messageId, content }: Sent, { quiet = false }) {
  return { messageId, content, source: `agent:${name}`, from: agentId, ...(quiet && { isQuiet: true }) }
}

function withMore(first: ReturnType<Rule>, more: ReturnType<Rule>): ReturnType<Rule> {
  if (first instanceof AppError) return first
  return more instanceof AppError ? more : [...first, ...more]
}
