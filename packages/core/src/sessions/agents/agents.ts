import * as z from "zod"
import type { Todo } from "../../agents/clis/schema.ts"
import { waitForReply } from "../../agents/conversations/agent-reply.ts"
import type {
  AcceptedMessage,
  Agent,
  AgentChanges,
  AgentDetails,
  AgentReply,
  NewAgent,
  NewAgentMessage,
} from "../../agents/conversations/agent-schema.ts"
import { describeAgent } from "../../agents/conversations/agent-view.ts"
import {
  type Delivery,
  isOfHaltedTeam,
  type MessageSubject,
  readMessages,
  waitsFor,
} from "../../agents/conversations/delivery.ts"
import { changeAgent, closeAgent, createAgent, findAgent } from "../../agents/conversations/rules.ts"
import { type AgentProgram, MAIN_AGENT } from "../../agents/conversations/schema.ts"
import { type AgentState, openAgent, openAgents } from "../../agents/conversations/state.ts"
import type { PermissionMode } from "../../agents/permissions/schema.ts"
import { permissionsOf } from "../../agents/questions/state.ts"
import { AppError } from "../../errors.ts"
import type { LogEvent } from "../../events.ts"
import { worktreeFolder } from "../../files/worktrees/worktree-folder.ts"
import { logName } from "../../kernel/keys.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import { openSessionLog, type SessionLog, type SessionLogDeps } from "../../kernel/session-log.ts"
import { readField } from "../../log/payload.ts"
import type { ProtectedOptions } from "../../protections.ts"
import type { SessionState } from "../../state.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { Runs } from "../../work/runs/runs.ts"
import { activeRun } from "../../work/runs/state.ts"
import { setTeam } from "../../work/teams/team-rules.ts"
import type { OwnerLimits } from "../owner-limits.ts"
import { type AgentRequestDeps, requireAgentConsent, requireMovable } from "../requests/agent-request.ts"
import type { ChangeTeam } from "../requests/change-team.ts"
import type { Sessions } from "../sessions.ts"
import { findUploads } from "../uploads.ts"

export interface SessionAgentsDeps extends SessionLogDeps, AgentRequestDeps {
  blobs: Blobs
  delivery: Delivery
  runs: Pick<Runs, "cancel">
  changeTeam: ChangeTeam
  sessions: Pick<Sessions, "touch">
  limits: Pick<OwnerLimits, "requireBytes" | "requireTerminal">
  /** Maximum number of agents that work at the same time, if it differs from the default. */
  maxActive?: number
}

/** Message that refers to its images by hash. */
type SentMessage = NewAgentMessage

/** A session with its owner. */
export interface OwnedSession extends SessionHandle {
  owner: string
}

type Options = ProtectedOptions

/**
 * Agents in a session. Each agent has a conversation, a message queue and a worktree. `named` is an agent's ID or name.
 */
export type SessionAgents = ReturnType<typeof createSessionAgents>

const INTERRUPTED = "Interrupted by a person."
const CLOSED = "Closed by a person."

export function createSessionAgents(deps: SessionAgentsDeps) {
  const { delivery, newId, runs } = deps

  /** Throws `agent_exists` if the name is taken. */
  async function create(session: OwnedSession, asked: NewAgent, options: Options): Promise<Agent> {
    const { owner, sid, sessionId } = session
    const { name, mode, consent, worktree, base_branch: baseBranch, resume: resumeSession, prompt } = asked
    const cwd = worktreeFolder(asked.cwd)
    const program = await chooseProgram(deps, owner, asked, options)
    if (resumeSession !== undefined) requireMovable(deps, owner, program.cli)
    await requireConsent(deps, session, { program, mode, consent }, options)
    if (prompt !== undefined) await requireRoom(session, options)
    const agentId = newId("agt")
    const log = await openSessionLog(deps, sid, options)
    // If the caller may not weaken protections, ignore the consent. The agent then works without the files that start
    // programs, and its first turn says so.
    const isAllowed = consent && prompt !== undefined && options.mayLoosen
    const created = { agentId, name, program, mode, worktree, baseBranch, cwd, resumeSession, consent: isAllowed }
    await log.decide(createAgent(created), options)
    await deps.sessions.touch(owner, sessionId, { active: true, ...options })
    if (prompt !== undefined) await send(session, agentId, { content: prompt, source: "api" }, options)
    await log.catchUp(options)
    return describe(log, agentId)
  }

  async function change(session: OwnedSession, named: string, changes: AgentChanges, options: Options): Promise<Agent> {
    const { agentId, program: before } = findAgent(session.state, named)
    const { name, mode, draft, consent } = changes
    const program = await changedProgram(deps, session.owner, changes, before, options)
    if (program || mode !== undefined) {
      const next = { program: program ?? before, mode: mode ?? modeOf(session, agentId), consent }
      await requireConsent(deps, session, next, options)
    }
    const log = await openSessionLog(deps, session.sid, options)
    await log.decide(changeAgent(agentId, { name, program, mode, draft }), options)
    return describe(log, agentId)
  }

  async function close(session: OwnedSession, { agentId }: AgentState, options: Options): Promise<Agent> {
    const log = await openSessionLog(deps, session.sid, options)
    await log.decide(closeAgent(agentId, CLOSED), options)
    // A closed agent doesn't start new runs, so this is its last run.
    const run = activeRun(log.state, agentId)
    if (run) await runs.cancel(session.owner, run.runId, CLOSED, options)
    await log.catchUp(options)
    return describe(log, agentId)
  }

  async function requireRoom({ owner, sid }: OwnedSession, options: Options): Promise<void> {
    await deps.limits.requireBytes(owner, sid, 0, options)
    await deps.limits.requireTerminal(owner, sid, options)
  }

  /** Sends a person's message, which may start a turn. */
  async function say(
    session: OwnedSession,
    { agentId, program }: AgentState,
    message: NewAgentMessage,
    options: Options,
  ): Promise<AcceptedMessage> {
    await requireConsent(deps, session, { program, mode: modeOf(session, agentId) }, options)
    if (!activeRun(session.state, agentId)) await requireRoom(session, options)
    const images = await findUploads(deps, session, message.images ?? [], options)
    // Any message to a halted team resumes the team.
    if (isOfHaltedTeam(session.state, agentId)) await deps.changeTeam(session, setTeam("resumed"), options)
    return send(session, agentId, { ...message, images }, options)
  }

  async function send(
    { owner, sid, sessionId }: OwnedSession,
    agentId: string,
    { content, display_as: displayAs, images, source, message_id: messageId = newId("msg") }: SentMessage,
    options: Options,
  ): Promise<AcceptedMessage> {
    const subject: MessageSubject = { kind: "messages", sid, session_id: sessionId, owner }
    const state = await delivery.send(subject, agentId, { messageId, content, displayAs, images, source }, options)
    await deps.sessions.touch(owner, sessionId, { active: true, ...options })
    return acceptedMessage(deps, state, agentId, messageId)
  }

  function describe({ state }: Pick<SessionLog, "state">, agentId: string): Agent {
    return describeAgent(state, findAgent(state, agentId), deps)
  }

  return {
    list: ({ state }: SessionHandle): Agent[] => openAgents(state).map((agent) => describeAgent(state, agent, deps)),
    /** Throws `agent_not_found` if there is no such agent. Closed agents are only found by ID. */
    async get(session: SessionHandle, named: string, options: Options): Promise<AgentDetails> {
      const agent = findAgent(session.state, named)
      const messages = await readMessages(deps, session, agent, options)
      const queue = messages.map(({ messageId, seq, content, displayAs }) => {
        return { message_id: messageId, seq, content: displayAs ?? content }
      })
      const [draft, todos] = await Promise.all([
        readDraft(deps, session, agent, options),
        readTodos(deps, session, agent, options),
      ])
      return { ...describeAgent(session.state, agent, deps), draft, todos, queue }
    },
    create,
    change,
    /** Closes an agent: stops its turn, drops its queued messages, and keeps its worktree. */
    close: (session: OwnedSession, named: string, options: Options): Promise<Agent> =>
      close(session, findAgent(session.state, named), options),
    /** Closes all agents except `main`. */
    async closeAll(session: OwnedSession, options: Options): Promise<Agent[]> {
      const agents = openAgents(session.state).filter(({ agentId }) => agentId !== MAIN_AGENT)
      return Promise.all(agents.map((agent) => close(session, agent, options)))
    },
    /**
     * Starts a turn with the message, or queues it if the agent is busy. Throws `queue_full` if too many messages are
     * waiting.
     */
    say: (session: OwnedSession, named: string, message: NewAgentMessage, options: Options): Promise<AcceptedMessage> =>
      say(session, findAgent(session.state, named), message, options),
    /**
     * Stops the agent's turn, and sends the message if one is given. If the turn is already stopping, only sends the
     * message.
     */
    async interrupt(session: OwnedSession, named: string, message: NewAgentMessage | undefined, options: Options) {
      const agent = findAgent(session.state, named)
      const run = activeRun(session.state, agent.agentId)
      const sent = message ? await say(session, agent, message, options) : null
      if (run) await runs.cancel(session.owner, run.runId, INTERRUPTED, options)
      return { agent_id: agent.agentId, run_id: run?.runId ?? null, message: sent }
    },
    /**
     * Waits until the agent is idle and its queue is empty, and returns its last reply. If `enough` aborts before that,
     * returns only the agent's status.
     */
    reply: (session: SessionHandle, named: string, options: Options & { enough: AbortSignal }): Promise<AgentReply> =>
      waitForReply(deps, session, findAgent(session.state, named).agentId, options),
  }
}

/** Returns whether the sent message started a turn or is still queued. */
function acceptedMessage(
  deps: SessionAgentsDeps,
  state: SessionState,
  agentId: string,
  messageId: string,
): AcceptedMessage {
  const about = { agent_id: agentId, message_id: messageId }
  const agent = openAgent(state, agentId)
  const index = agent?.queue.findIndex((one) => one.messageId === messageId) ?? -1
  if (!agent || index === -1) {
    return { ...about, run_id: activeRun(state, agentId)?.runId ?? null, queued_at: null, waits_for: null }
  }
  return { ...about, run_id: null, queued_at: index + 1, waits_for: waitsFor(state, agent, deps) }
}

/** Returns the agent's permission mode. An agent without a mode never asks for permission. */
function modeOf({ state }: SessionHandle, agentId: string): PermissionMode {
  return permissionsOf(state, agentId).mode ?? "bypass"
}

type AskedProgram = Pick<AgentChanges, "coding_model" | "reasoning">

async function chooseProgram(
  { agentAccounts }: SessionAgentsDeps,
  owner: string,
  { coding_agent, coding_model, reasoning }: AskedProgram & { coding_agent: string },
  options: Options,
): Promise<AgentProgram> {
  const { hasLogin: _, ...chosen } = await agentAccounts.choose(owner, coding_agent, options)
  return { ...chosen, model: coding_model ?? chosen.model, reasoning: reasoning ?? chosen.reasoning }
}

/** Returns the agent's program with these changes applied. Undefined if the program stays the same. */
async function changedProgram(
  deps: SessionAgentsDeps,
  owner: string,
  { coding_agent, ...asked }: AgentChanges,
  before: AgentProgram | null,
  options: Options,
): Promise<AgentProgram | undefined> {
  if (coding_agent !== undefined) return chooseProgram(deps, owner, { coding_agent, ...asked }, options)
  const { coding_model, reasoning } = asked
  if (coding_model === undefined && reasoning === undefined) return undefined
  if (before === null) throw new AppError("task_invalid", "This agent has no program yet. Set its coding_agent.")
  return {
    ...before,
    ...(coding_model !== undefined && { model: coding_model }),
    ...(reasoning !== undefined && { reasoning }),
  }
}

async function requireConsent(
  deps: SessionAgentsDeps,
  { owner, state }: OwnedSession,
  { program, mode, consent = false }: { program: AgentProgram | null; mode: PermissionMode; consent?: boolean },
  options: Options,
): Promise<void> {
  if (program === null) return
  const { repository } = state.session
  await requireAgentConsent(deps, owner, { cli: program.cli, mode, repository, consent }, options)
}

async function readDraft(
  deps: SessionAgentsDeps,
  session: SessionHandle,
  { draftSeq }: AgentState,
  options: Options,
): Promise<string> {
  const event = await readAt(deps, session, draftSeq, options)
  return event?.type === "agent_draft_changed" ? readField(deps.blobs, event.draft, z.string(), options) : ""
}

async function readTodos(
  deps: SessionAgentsDeps,
  session: SessionHandle,
  { todosSeq }: AgentState,
  options: Options,
): Promise<Todo[]> {
  const event = await readAt(deps, session, todosSeq, options)
  return event?.type === "agent_todos_changed" ? event.todos : []
}

async function readAt(
  { log }: Pick<SessionAgentsDeps, "log">,
  { sid }: SessionHandle,
  seq: number | null,
  options: Options,
): Promise<LogEvent | undefined> {
  if (seq === null) return undefined
  for await (const event of log.read(logName(sid), seq - 1, options)) return event
  return undefined
}
