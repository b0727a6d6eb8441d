import * as z from "zod"
import type { EventOf, LogEvent } from "../../events.ts"
import { worktreeFolder } from "../../files/worktrees/worktree-folder.ts"
import { logName } from "../../kernel/keys.ts"
import type { Rule, SessionLog, SessionLogDeps } from "../../kernel/session-log.ts"
import { readField } from "../../log/payload.ts"
import type { SessionState } from "../../state.ts"
import type { Blobs } from "../../storage/blobs.ts"
import { activeRun } from "../../work/runs/state.ts"
import type { PermissionMode } from "../permissions/schema.ts"
import type { AgentStatus } from "./agent-schema.ts"
import { describeAgent, statusOf } from "./agent-view.ts"
import { askOf } from "./asks.ts"
import type { Caller } from "./caller.ts"
import { waitsFor } from "./delivery.ts"
import { askAgent, closePeer, interruptPeer, releaseAsk, spawnAgent, tellAgent } from "./peer-rules.ts"
import { findAgent } from "./rules.ts"
import { type AgentState, namedAgent, openAgents } from "./state.ts"

export interface PeersDeps extends SessionLogDeps {
  blobs: Blobs
  /**
   * Called when messages are waiting or a run was asked to stop. Other code then starts the turns and stops the run.
   */
  moved: (runId: string) => void
}

/** Agent as seen by another agent. */
export interface Peer {
  name: string
  agent_id: string
  you: boolean
  status: AgentStatus
  works_on: string | null
  program: string | null
  mode: PermissionMode
  worktree: string
  /** Worktrees whose changes would conflict with the changes in this agent's worktree. */
  collides_with: string[]
  started_by: string | null
  queued: number
}

/** Outcome of sending a message. */
export interface Sent {
  name: string
  /**
   * `waits`: the message is too short to start a turn, so the agent reads it in its next turn. `answered`: the message
   * answered a question whose answer the other agent was waiting for.
   */
  result: "delivered" | "queued" | "waits" | "answered"
  /** Number of messages waiting for the agent, including the new one. */
  queued: number
}

export interface Reply {
  name: string
  /** `working`: the answer will be delivered as a message. */
  result: "answered" | "working" | "closed" | "interrupted" | "failed" | "silent"
  text: string
}

export interface Spawn {
  name: string
  baseBranch?: string | undefined
  cwd?: string | undefined
  prompt?: string | undefined
  cli?: string | undefined
  model?: string | undefined
  mode?: PermissionMode | undefined
}

interface Options {
  signal: AbortSignal
}

/**
 * Actions that an agent performs on other agents in its session during a turn. Each method throws if a rule refuses the
 * action.
 */
export interface Peers {
  list(options: Options): Promise<Peer[]>
  whoami(options: Options): Promise<Peer>
  tell(name: string, content: string, options: Options): Promise<Sent>
  /** Waits for the answer until `enough` aborts. An answer that comes later is delivered as a message. */
  ask(name: string, content: string, options: Options & { enough: AbortSignal }): Promise<Reply>
  spawn(worktree: "own" | "shared", spawned: Spawn, options: Options): Promise<Peer>
  interrupt(name: string, content: string | undefined, options: Options): Promise<Peer>
  close(name: string, options: Options): Promise<Peer>
}

export function createPeers(deps: PeersDeps, session: SessionLog, caller: Caller): Peers {
  const { clock, newId } = deps

  async function decide(rule: Rule, { signal }: Options): Promise<LogEvent[]> {
    const events = await session.decide(rule, { signal })
    deps.moved(caller.runId)
    return events
  }

  const view = (agentId: string) => describePeer(session.state, findAgent(session.state, agentId), caller)

  async function list(options: Options): Promise<Peer[]> {
    const state = await session.catchUp(options)
    return openAgents(state).map((agent) => describePeer(state, agent, caller))
  }

  async function tell(named: string, content: string, options: Options): Promise<Sent> {
    const before = await session.catchUp(options)
    const { agentId, name } = findAgent(before, named)
    const sent = { messageId: newId("msg"), content, now: clock.now() }
    const events = await decide(tellAgent(caller, agentId, sent), options)
    const queued = findAgent(session.state, agentId).queue
    if (!events.some(({ type }) => type === "agent_message_queued"))
      return { name, result: "answered", queued: queued.length }
    const isQuiet = queued.find(({ messageId }) => messageId === sent.messageId)?.isQuiet
    const agent = findAgent(session.state, agentId)
    const isHeld = activeRun(session.state, agentId) !== undefined || waitsFor(session.state, agent, {}) !== null
    return { name, result: isQuiet ? "waits" : isHeld ? "queued" : "delivered", queued: queued.length }
  }

  async function ask(
    named: string,
    content: string,
    { signal, enough }: Options & { enough: AbortSignal },
  ): Promise<Reply> {
    const { agentId, name } = findAgent(await session.catchUp({ signal }), named)
    const messageId = newId("msg")
    await decide(askAgent(caller, agentId, { messageId, content, now: clock.now() }), { signal })
    const since = session.state.head
    if (askOf(session.state, messageId)?.waitingRun == null) return { name, result: "working", text: BEHIND }
    // If an agent is stopped while it is waiting, the end of its run releases the question.
    const ended = await askEnd(messageId, since, AbortSignal.any([signal, enough]))
    if (ended) return reply(name, ended, { signal })
    if (signal.aborted) await session.decide(releaseAsk(messageId), { signal: AbortSignal.timeout(RELEASE_WITHIN_MS) })
    signal.throwIfAborted()
    const released = await session.decide(releaseAsk(messageId), { signal })
    if (released.length > 0) return { name, result: "working", text: WORKING }
    const late = await askEnd(messageId, since, signal)
    return late ? reply(name, late, { signal }) : { name, result: "working", text: WORKING }
  }

  async function askEnd(messageId: string, since: number, signal: AbortSignal) {
    for await (const event of deps.log.tail(logName(session.sid), since, { signal })) {
      if (event.type === "agent_ask_ended" && event.message_id === messageId) return event
      if (event.type === "session_deleted") return undefined
    }
    return undefined
  }

  async function reply(name: string, { reason, answer }: EventOf<"agent_ask_ended">, options: Options): Promise<Reply> {
    return { name, result: reason, text: await readField(deps.blobs, answer, z.string(), options) }
  }

  async function spawn(worktree: "own" | "shared", spawned: Spawn, options: Options): Promise<Peer> {
    const { prompt, cwd = "", ...about } = spawned
    const agentId = newId("agt")
    const message = prompt === undefined ? undefined : { messageId: newId("msg"), content: prompt }
    const now = clock.now()
    await decide(
      spawnAgent(caller, { ...about, cwd: worktreeFolder(cwd), agentId, worktree, prompt: message, now }),
      options,
    )
    return view(agentId)
  }

  async function interrupt(named: string, content: string | undefined, options: Options): Promise<Peer> {
    const { agentId } = findAgent(await session.catchUp(options), named)
    const run = activeRun(session.state, agentId)
    const told = content === undefined ? {} : { messageId: newId("msg"), content }
    await decide(interruptPeer(caller, agentId, { ...told, now: clock.now() }), options)
    if (run) deps.moved(run.runId)
    return view(agentId)
  }

  async function close(named: string, options: Options): Promise<Peer> {
    const { agentId } = findAgent(await session.catchUp(options), named)
    const run = activeRun(session.state, agentId)
    await decide(closePeer(caller, agentId, clock.now()), options)
    if (run) deps.moved(run.runId)
    return view(agentId)
  }

  return {
    list,
    async whoami(options) {
      await session.catchUp(options)
      return view(caller.agentId)
    },
    tell,
    ask,
    spawn,
    interrupt,
    close,
  }
}

const RELEASE_WITHIN_MS = 5000
const WORKING = "Still working. You will receive the answer as a message. Do something else, or end your turn."
const BEHIND = "It works in your worktree, so it starts when your turn ends. You will receive its answer as a message."

function describePeer(state: SessionState, agent: AgentState, caller: Caller): Peer {
  const { agentId, name, program, worktree, parent, queue } = agent
  const run = activeRun(state, agentId)
  const { mode } = describeAgent(state, agent, {})
  return {
    ...{ name, agent_id: agentId, you: agentId === caller.agentId, status: statusOf(state, agent) },
    works_on: run?.title ?? null,
    program: program?.cli ?? null,
    ...{
      mode,
      worktree,
      collides_with: state.worktrees.collisions.flatMap(({ worktrees }) => {
        return worktrees.includes(worktree) ? worktrees.filter((one) => one !== worktree) : []
      }),
      started_by: parent === null ? null : (namedAgent(state, parent)?.name ?? null),
      queued: queue.length,
    },
  }
}
