import * as z from "zod"
import { AppError, isAppError, settle } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import { namedWorktree } from "../../files/worktrees/names-schema.ts"
import type { DueList, DueSubject } from "../../kernel/due.ts"
import { logName } from "../../kernel/keys.ts"
import { inLiveSession } from "../../kernel/rules.ts"
import { openSessionLog, type Rule, type SessionLog, type SessionLogDeps } from "../../kernel/session-log.ts"
import { isLive } from "../../kernel/state.ts"
import { readField } from "../../log/payload.ts"
import type { SessionState } from "../../state.ts"
import type { Blobs } from "../../storage/blobs.ts"
import { createRun, MAX_ACTIVE_RUNS } from "../../work/runs/admission.ts"
import { usesWorktree } from "../../work/runs/kinds.ts"
import { type Launcher, START_WITHIN_MS } from "../../work/runs/launcher.ts"
import type { RunIndex } from "../../work/runs/run-index.ts"
import { activeRun, liveRuns, runInWorktree, runOf } from "../../work/runs/state.ts"
import { titleOf } from "../../work/runs/title.ts"
import type { TeamState } from "../../work/teams/state.ts"
import { hasWebhook } from "../../work/teams/trigger-state.ts"
import { type OwnerSettings, type OwnerSettingsDeps, ownerSettings } from "./owner-settings.ts"
import { type QueuedContent, queueMessage } from "./rules.ts"
import type { AgentInput, AgentProgram } from "./schema.ts"
import { type AgentState, hasWork, openAgent, openAgents } from "./state.ts"

export interface DeliveryDeps extends SessionLogDeps, OwnerSettingsDeps {
  blobs: Blobs
  due: DueList
  index: RunIndex
  launcher: Pick<Launcher, "start">
  /**
   * Checked before an agent starts on its queued messages. Throws `budget_reached` if the owner's budget is used up.
   */
  budgets?: { require(owner: string, options: { signal: AbortSignal }): Promise<void> }
  /** Maximum number of agents that work at the same time. If omitted, the default applies. */
  maxActive?: number
}

/** Session with messages to deliver, and its owner, who also owns the turns that the messages start. */
export type MessageSubject = Extract<DueSubject, { kind: "messages" }>

/** Delivery of queued messages to idle agents. */
export interface Delivery {
  /** Queues a message, and delivers it if its agent is idle. Returns the resulting session state. */
  send(
    subject: MessageSubject,
    agentId: string,
    message: QueuedContent,
    options: { signal: AbortSignal },
  ): Promise<SessionState>
  /**
   * Starts a turn for each idle agent with queued messages. The turn takes all messages in the agent's queue. The run
   * and the delivery are logged in one batch, so each message is delivered only once even if several callers try.
   */
  deliver(subject: MessageSubject, options: { signal: AbortSignal }): Promise<void>
  /** Delivers queued messages after a run in the session has ended. */
  afterRun(session: Pick<SessionLog, "sid" | "state">, runId: string, options: { signal: AbortSignal }): Promise<void>
  /** Delivers messages when a hint is due. Adds another hint if messages are still waiting. */
  sweep(subject: MessageSubject, options: { signal: AbortSignal }): Promise<void>
}

/** Message as the agent and the log receive it. */
export interface Message {
  messageId: string
  /** Sequence number of the event that queued the message. */
  seq: number
  content: string
  displayAs: string | undefined
  images?: string[] | undefined
  source: string
  /** True if the sender is waiting for an answer. */
  asks?: boolean
}

export function createDelivery(deps: DeliveryDeps): Delivery {
  const { clock, newId, due, index, launcher, maxActive } = deps

  async function deliver(subject: MessageSubject, options: { signal: AbortSignal }): Promise<void> {
    const session = await openSessionLog(deps, subject.sid, options)
    /**
     * Agents whose turn was refused for a permanent reason. They're skipped, so that other agents still get their
     * messages.
     */
    const refused = new Set<string>()
    for (;;) {
      const agent = agentsToHear(session.state, deps).find(({ agentId }) => !refused.has(agentId))
      if (!agent || !(await mayBegin(subject.owner, options))) return
      const before = session.state.head
      const isBegun = await beginTurn(subject, session, agent, options)
      if (!isBegun && session.state.head === before) refused.add(agent.agentId)
    }
  }

  /** Returns false if the owner's budget is used up. The messages then wait until the budget allows more work. */
  async function mayBegin(owner: string, options: { signal: AbortSignal }): Promise<boolean> {
    const { error } = await settle(async () => deps.budgets?.require(owner, options))
    if (error !== undefined && !isAppError(error, "budget_reached")) throw error
    return error === undefined
  }

  /**
   * Starts a turn with the agent's queued messages. Returns false if another event came first, or if the turn was
   * refused.
   */
  async function beginTurn(
    { sid, session_id, owner }: MessageSubject,
    session: SessionLog,
    agent: AgentState,
    options: { signal: AbortSignal },
  ): Promise<boolean> {
    const runId = newId("run")
    const messages = await readMessages(deps, session, agent, options)
    const { repository } = session.state.session
    const keysOnly = isSetOffByOthers(session.state, agent.agentId)
    const about = { repository, account: agent.program?.account ?? null, keysOnly }
    const settings = await ownerSettings(deps, owner, about, options)
    const earlier = Object.values(session.state.runs.byId).findLast(usesWorktree)
    const ref = earlier && (await index.get(earlier.runId, options))
    const placed = ref?.sid === sid && ref.repository !== undefined && { repository: ref.repository }
    // Add the hints first, so that the sweep finds the run even if this process dies after logging the event.
    await Promise.all([
      index.add({ run_id: runId, owner, sid, session_id, created_at: clock.now(), ...placed }, options),
      due.add({ kind: "run", sid, run_id: runId }, clock.now() + START_WITHIN_MS, options),
    ])
    await session.decide(deliverMessages(agent.agentId, { runId, messages, settings, maxActive }), options)
    if (!runOf(session.state, runId)) {
      await index.remove(runId, options)
      return false
    }
    await launcher.start({ sid, runId, expectedGeneration: 0, kind: "agent" }, options)
    return true
  }

  /** Adds a hint, so that the sweep delivers the messages if no other process does. */
  async function announce(subject: MessageSubject, options: { signal: AbortSignal }): Promise<void> {
    await due.add(subject, clock.now() + START_WITHIN_MS, options)
  }

  return {
    async send(subject, agentId, message, options) {
      // Add the hint before the event, so that there is always a hint for a waiting message.
      await announce(subject, options)
      const session = await openSessionLog(deps, subject.sid, options)
      await session.decide(queueMessage(agentId, message), options)
      await deliver(subject, options)
      return session.catchUp(options)
    },
    deliver,
    async afterRun({ sid, state }, runId, options) {
      if (!isLive(state) || !hasQueued(state)) return
      const ref = await index.get(runId, options)
      if (ref) await deliver({ kind: "messages", sid, session_id: ref.session_id, owner: ref.owner }, options)
    },
    async sweep(subject, options) {
      await deliver(subject, options)
      const { state } = await openSessionLog(deps, subject.sid, options)
      if (isLive(state) && hasQueued(state)) await announce(subject, options)
    },
  }
}

/** Returns the reason why an idle agent's messages are still waiting. Null if nothing prevents their delivery. */
export function waitsFor(
  state: SessionState,
  { agentId, worktree }: Pick<AgentState, "agentId" | "worktree">,
  { maxActive = MAX_ACTIVE_RUNS }: { maxActive?: number },
): "agents" | "worktree" | "team" | null {
  if (activeRun(state, agentId)) return null
  if (isOfHaltedTeam(state, agentId)) return "team"
  if (runInWorktree(state, worktree)) return "worktree"
  return liveRuns(state).length >= maxActive ? "agents" : null
}

/** True if the agent's team was paused or stopped. If the agent started a turn, it would be cancelled immediately. */
export function isOfHaltedTeam({ team }: SessionState, agentId: string): boolean {
  if (!team || team.halted === null || team.endedSeq !== null) return false
  return isMember(team, agentId)
}

/**
 * True if someone other than the owner may have triggered an agent's turn. This is possible if a webhook can wake the
 * agent's team.
 */
function isSetOffByOthers({ team }: SessionState, agentId: string): boolean {
  return team !== null && isMember(team, agentId) && hasWebhook(team.triggers)
}

function isMember(team: TeamState, agentId: string): boolean {
  return team.coordinator?.agentId === agentId || Object.hasOwn(team.workers, agentId)
}

interface NewTurn {
  runId: string
  messages: Message[]
  settings?: OwnerSettings
  maxActive?: number
}

/**
 * Starts a turn of the agent with these messages. The run and the delivery are logged in one batch, so each message is
 * part of exactly one turn. Does nothing if the agent is busy or its queue has changed.
 */
export function deliverMessages(agentId: string, { runId, messages, settings, maxActive }: NewTurn): Rule {
  return inLiveSession((state) => {
    const agent = openAgent(state, agentId)
    const isWhole = agent?.queue.map((one) => one.messageId).join() === messages.map((one) => one.messageId).join()
    if (!agent?.program || !isWhole || messages.length === 0) return []
    const about = { run_id: runId, agent_id: agentId }
    const { baseBranch, cwd, resumeSession, nativeSession, hasConsent } = agent
    const input = {
      ...turnInput(state, agent.program, messages),
      ...(baseBranch !== null && { base_branch: baseBranch }),
      ...(cwd !== "" && { cwd }),
      ...(resumeSession !== null && nativeSession === null && { resume_session: resumeSession }),
      ...settings,
      ...(hasConsent && { consent: true }),
      ...(isSetOffByOthers(state, agentId) && { keys_only: true }),
    }
    const run = {
      ...{ ...about, kind: "agent" as const, model: `${input.cli}/${input.model ?? "default"}` },
      title: titleOf(messages[0]?.displayAs ?? messages[0]?.content ?? ""),
      ...namedWorktree(agent.worktree),
      ...{ repository: input.repository ?? undefined, program: agent.program, input },
    }
    const created = createRun(run, { maxActive })(state)
    if (created instanceof AppError || created.length === 0) return []
    const message_ids = messages.map(({ messageId }) => messageId)
    const delivered: NewEvent = { type: "agent_message_delivered", ...about, message_ids }
    return [...created, delivered, ...messages.map((message) => said(message, about))]
  })
}

/**
 * Returns the open, idle agents that can start a turn with their queued messages. The agent that has waited longest
 * comes first.
 */
function agentsToHear(state: SessionState, { maxActive }: { maxActive?: number }): AgentState[] {
  if (!isLive(state)) return []
  return openAgents(state)
    .filter((agent) => hasWork(agent) && agent.program !== null)
    .filter((agent) => !activeRun(state, agent.agentId) && waitsFor(state, agent, { maxActive }) === null)
    .sort((a, b) => (a.queue[0]?.seq ?? 0) - (b.queue[0]?.seq ?? 0))
}

function hasQueued(state: SessionState): boolean {
  return Object.values(state.agents.open).some(hasWork)
}

/** Returns an agent's queued messages. */
export async function readMessages(
  { log, blobs }: Pick<DeliveryDeps, "log" | "blobs">,
  { sid }: Pick<SessionLog, "sid">,
  { queue }: Pick<AgentState, "queue">,
  options: { signal: AbortSignal },
): Promise<Message[]> {
  return Promise.all(
    queue.map(async ({ seq }) => {
      for await (const event of log.read(logName(sid), seq - 1, options)) {
        if (event.type !== "agent_message_queued") break
        const content = await readField(blobs, event.content, z.string(), options)
        const { message_id: messageId, display_as: displayAs, images, source } = event
        const asks = event.asking_run !== undefined || event.reminds_of !== undefined
        return { messageId, seq, content, displayAs, images, source, asks }
      }
      throw new AppError("internal_error", "A message is missing from its session's log.")
    }),
  )
}

/**
 * Returns the input of a turn. The prompt is stored with the turn, so that later changes to our code don't affect it.
 */
function turnInput({ session }: SessionState, program: AgentProgram, messages: Message[]): AgentInput {
  const screenshots = [...new Set(messages.flatMap(({ images = [] }) => images))]
  return {
    task: turnText(messages),
    messages: messages.map(({ messageId }) => messageId),
    ...program,
    repository: session.repository,
    ...(screenshots.length > 0 && { screenshots }),
    terminal: { rows: 24, cols: 80 },
  }
}

/**
 * Returns the prompt of a turn. A single message is used unchanged. Several messages become a numbered list to be
 * answered together.
 */
export function turnText(messages: Message[]): string {
  const [first] = messages
  if (messages.length === 1 && first) return attributed(first)
  const numbered = messages.map((message, index) => `${index + 1}. ${attributed(message)}`)
  const head = `${messages.length} messages came while you were busy, the oldest first. Read all of them, then answer once.`
  return [head, ...numbered].join("\n\n")
}

function attributed({ content, source, asks }: Message): string {
  const [, sender] = /^agent:(.+)$/.exec(source) ?? []
  if (sender === undefined) return content.trim()
  const about = asks ? ", which waits for your answer and gets what you say at the end of this turn" : ""
  return `From the agent ${sender}${about}:\n\n${content.trim()}`
}

function said({ content, displayAs, images, source }: Message, about: { run_id: string; agent_id: string }): NewEvent {
  const more = { ...(displayAs !== undefined && { display_as: displayAs }), ...(images && { images }) }
  return { type: "user_message", ...about, content, source, ...more }
}
