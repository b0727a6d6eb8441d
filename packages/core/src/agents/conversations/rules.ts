import { AppError } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import { MAIN_WORKTREE } from "../../files/worktrees/names-schema.ts"
import { inLiveSession } from "../../kernel/rules.ts"
import type { Rule } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import { worktreeRefusal } from "../../work/runs/admission.ts"
import type { PermissionMode } from "../permissions/schema.ts"
import { withdrawnQuestions } from "../questions/rules.ts"
import { permissionsOf } from "../questions/state.ts"
import { endsOfClosed } from "./asks.ts"
import { type AgentProgram, MAIN_AGENT } from "./schema.ts"
import { type AgentState, isSameName, MAX_AGENTS, namedAgent, openAgent, openAgents, wasClosed } from "./state.ts"

/** Maximum number of messages queued for one agent. */
const MAX_QUEUED = 20

export interface CreatedAgent {
  agentId: string
  name: string
  program: AgentProgram
  mode: PermissionMode
  /** Name of a worktree, `own` for a new worktree, or `shared` for the session's worktree. */
  worktree: string
  /** Branch of the repository that the agent's new worktree is based on. */
  baseBranch?: string | undefined
  /** The agent's start folder in the worktree. Empty for the worktree itself. */
  cwd?: string | undefined
  /** Session of the agent's program that was started outside this server. The agent continues it. */
  resumeSession?: string | undefined
  parent?: string
  /** True if the owner allows the agent's first turn to use project files that start programs. */
  consent?: boolean | undefined
}

/** Adds an agent. Refuses a name that is already taken. */
export function createAgent(created: CreatedAgent): Rule {
  const { agentId, name, program, mode, worktree, baseBranch, cwd = "", resumeSession, parent, consent } = created
  return inLiveSession((state) => {
    if (openAgent(state, agentId)) return []
    if (baseBranch !== undefined && state.session.repository === null) {
      const message = "A session without a repository has no branch to start from."
      return new AppError("task_invalid", message, { base_branch: baseBranch })
    }
    if (openAgents(state).length >= MAX_AGENTS) {
      const message = `This session already has ${MAX_AGENTS} agents. Close an agent first.`
      return new AppError("limit_reached", message, { maximum: MAX_AGENTS })
    }
    const place = worktree === "own" ? freeWorktree(state, name) : worktree === "shared" ? MAIN_WORKTREE : worktree
    const refused = nameTaken(state, name, agentId) ?? worktreeRefusal(state, place)
    if (refused) return refused
    const about = { agent_id: agentId, kind: "cli" as const, name, ...program, mode, worktree: place }
    const from = {
      ...(baseBranch !== undefined && { base_branch: baseBranch }),
      ...(cwd !== "" && { cwd }),
      ...(resumeSession !== undefined && { resume_session: resumeSession }),
      ...(parent !== undefined && { parent }),
      ...(consent && { consent }),
    }
    return [{ type: "agent_created", ...about, ...from }]
  })
}

export interface AgentChange {
  name?: string
  program?: AgentProgram
  mode?: PermissionMode
  draft?: string
}

/** Changes an agent's name, program, mode or unsent message. */
export function changeAgent(agentId: string, { name, program, mode, draft }: AgentChange): Rule {
  return ofOpenAgent(agentId, (agent, state) => {
    const events: NewEvent[] = []
    const about = { agent_id: agentId }
    if (name !== undefined && name !== agent.name) {
      if (agentId === MAIN_AGENT) return new AppError("validation_error", "The main agent can't be renamed.")
      const refused = nameTaken(state, name, agentId)
      if (refused) return refused
      events.push({ type: "agent_renamed", ...about, name })
    }
    if (program && !isSameProgram(program, agent.program)) {
      events.push({ type: "agent_program_changed", ...about, ...program })
    }
    if (mode !== undefined && mode !== permissionsOf(state, agentId).mode) {
      events.push({ type: "agent_mode_changed", ...about, mode })
    }
    if (draft !== undefined && (draft !== "" || agent.draftSeq !== null)) {
      events.push({ type: "agent_draft_changed", ...about, draft })
    }
    return events
  })
}

/** Closes an agent, so that its queued messages are never delivered. Does nothing if the agent is already closed. */
export function closeAgent(agentId: string, reason: string): Rule {
  return inLiveSession((state) => {
    if (agentId === MAIN_AGENT) return new AppError("validation_error", "The main agent can't be closed.")
    if (!openAgent(state, agentId)) return []
    return [
      ...withdrawnQuestions(state, agentId),
      ...endsOfClosed(state, agentId),
      { type: "agent_closed", agent_id: agentId, reason },
    ]
  })
}

export interface QueuedContent {
  messageId: string
  content: string
  displayAs?: string
  /** Hashes of the message's images. */
  images?: string[]
  /** Sender of the message. `agent:<name>` for another agent. */
  source: string
  /** ID of the sending agent. */
  from?: string
  /** Run of the sending agent that waits for the answer. */
  askingRun?: string
  /** True if this message doesn't start a turn on its own. */
  isQuiet?: boolean
}

/** Queues a message. Does nothing if the same message was queued before, even if it has already been delivered. */
export function queueMessage(agentId: string, message: QueuedContent): Rule {
  const { messageId, content, displayAs, images = [], source, from, askingRun, isQuiet } = message
  return ofOpenAgent(agentId, ({ name, queue, program }, state) => {
    if (isKnownMessage(state, messageId)) return []
    if (program === null) {
      const message = `The agent ${name} has no program yet. Set its coding_agent, or give it a task.`
      return new AppError("task_invalid", message, { agent_id: agentId })
    }
    if (queue.length >= MAX_QUEUED) {
      const message = `${queue.length} messages are already waiting for the agent ${name}. Wait until it has answered them.`
      return new AppError("queue_full", message, { queued: queue.length })
    }
    const about = { agent_id: agentId, message_id: messageId, content, source }
    const more = {
      ...(displayAs !== undefined && { display_as: displayAs }),
      ...(images.length > 0 && { images }),
      ...(from !== undefined && { from }),
      ...(askingRun !== undefined && { asking_run: askingRun }),
      ...(isQuiet && { quiet: true as const }),
    }
    return [{ type: "agent_message_queued", ...about, ...more }]
  })
}

/**
 * Returns the agent with this ID or name. Throws `agent_not_found` if there is none. Closed agents are only found by
 * ID.
 */
export function findAgent(state: SessionState, named: string): AgentState {
  const agent = namedAgent(state, named)
  if (agent) return agent
  throw agentNotFound(named)
}

function agentNotFound(named: string): AppError {
  return new AppError("agent_not_found", "This session has no such agent.", { agent: named.slice(0, 100) })
}

function isKnownMessage({ agents }: SessionState, messageId: string): boolean {
  const isQueued = Object.values(agents.open).some(({ queue }) => queue.some((one) => one.messageId === messageId))
  return isQueued || agents.settled.includes(messageId)
}

/** Applies a rule to an open agent. */
function ofOpenAgent(agentId: string, rule: (agent: AgentState, state: SessionState) => ReturnType<Rule>): Rule {
  return inLiveSession((state) => {
    const agent = openAgent(state, agentId)
    if (agent) return rule(agent, state)
    if (!wasClosed(state, agentId)) return agentNotFound(agentId)
    return new AppError("agent_closed", "This agent was closed.", { agent_id: agentId })
  })
}

function nameTaken(state: SessionState, name: string, agentId: string): AppError | undefined {
  const others = openAgents(state).filter((agent) => agent.agentId !== agentId)
  const taken = others.find((agent) => isSameName(agent.name, name) || isSameName(agent.agentId, name))
  if (!taken) return undefined
  return new AppError("agent_exists", `This session already has an agent named ${taken.name}.`, {
    agent_id: taken.agentId,
  })
}

/**
 * Returns the name of an agent's new worktree. This is the agent's name, with a number if that name is taken. Closed
 * agents leave their worktrees behind.
 */
function freeWorktree(state: SessionState, name: string): string {
  const used = [MAIN_WORKTREE, ...Object.keys(state.worktrees.byName), ...openAgents(state).map((one) => one.worktree)]
  const isFree = (worktree: string) => !used.some((one) => isSameName(one, worktree))
  const numbered = (number: number) => (number === 1 ? name : `${name.slice(0, 60)}-${number}`)
  let number = 1
  while (!isFree(numbered(number))) number++
  return numbered(number)
}

function isSameProgram(one: AgentProgram, other: AgentProgram | null): boolean {
  return (
    other !== null &&
    one.cli === other.cli &&
    one.account === other.account &&
    one.model === other.model &&
    one.reasoning === other.reasoning
  )
}
