import { AgentInput, type AgentProgram, MAIN_AGENT } from "@switchyard/core/agents/conversations/schema"
import type { EventOf } from "@switchyard/core/events"
import { readHistoryBack } from "@switchyard/core/kernel/history"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import { readField } from "@switchyard/core/log/payload"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Records } from "@switchyard/core/storage/records"
import { isTask } from "@switchyard/core/work/runs/kinds"

/** Earlier work of an agent, which a new run continues. */
export interface ResumePoint {
  /** Native agent session of the same CLI and account. Null if there is none. */
  nativeSession: string | null
  /** Runs whose work the session doesn't contain, oldest first. */
  unknown: EarlierRun[]
  /** True if the agent has worked here before. `interrupted` is true if the earlier work was part of this run. */
  followUp: boolean
  interrupted: boolean
}

/** A run of an agent, or the part of the run that begins with the event `firstSeq`. */
export interface EarlierRun {
  runId: string
  firstSeq: number
  /** Program that worked on the run last. */
  program: AgentProgram
  /** True if the run switched to another program because of a problem. */
  isHandedOver: boolean
}

/** Maximum number of runs whose results a program receives. */
const MAX_EARLIER_RUNS = 20

interface HistoryDeps {
  records: Records
  blobs: Blobs
}

/** Reads the resume point from the log. Reads backwards, and only as far as necessary. */
export async function readResumePoint(
  deps: HistoryDeps,
  session: SessionLog,
  { runId, agentId, input }: { runId: string; agentId: string; input: AgentInput },
  options: { signal: AbortSignal },
): Promise<ResumePoint> {
  const past: ResumePoint = { nativeSession: null, unknown: [], followUp: false, interrupted: false }
  for await (const part of readPartsBack(deps, session, agentId, options)) {
    const { program, nativeSession } = part
    past.followUp ||= part.hasTurn
    past.interrupted ||= part.hasTurn && part.runId === runId
    const isOwn = program !== null && isSameAccount(program, input)
    const [newer] = past.unknown
    if (newer?.runId === part.runId && part.isStart) newer.isHandedOver = isOwn
    if (isOwn && nativeSession !== null) return { ...past, nativeSession }
    if (part.runId !== runId) addRun(past.unknown, part)
  }
  return past
}

/** Returns the agent's newest runs before this one, oldest first. */
export async function readEarlierRuns(
  deps: HistoryDeps,
  session: SessionLog,
  { runId, agentId }: { runId: string; agentId: string },
  options: { signal: AbortSignal },
): Promise<EarlierRun[]> {
  const runs: EarlierRun[] = []
  for await (const part of readPartsBack(deps, session, agentId, options)) {
    if (part.runId !== runId) addRun(runs, part)
    if (runs.length === MAX_EARLIER_RUNS) break
  }
  return runs
}

/** Part of a run, on which a single program worked. */
interface RunPart {
  runId: string
  firstSeq: number
  /** Null for a run without an agent program. */
  program: AgentProgram | null
  /** True for the part that begins with the run itself. */
  isStart: boolean
  hasTurn: boolean
  /** Most recent session that the program opened. */
  nativeSession: string | null
}

/** Yields the parts of an agent's runs, newest first. */
async function* readPartsBack(
  deps: HistoryDeps,
  session: SessionLog,
  agentId: string,
  { signal }: { signal: AbortSignal },
): AsyncGenerator<RunPart> {
  let hasTurn = false
  let nativeSession: string | null = null
  for await (const event of readHistoryBack(deps, session, "turns", { signal })) {
    const { run_id: runId = "", agent_id = MAIN_AGENT, seq: firstSeq } = event
    if (agent_id !== agentId) continue
    if (event.type === "agent_turn_started") hasTurn = true
    else if (event.type === "agent_session_opened") nativeSession ??= event.native_session_id
    else {
      const isStart = event.type === "run_created"
      const program = isStart ? await programOf(deps.blobs, event, signal) : successorIn(event)
      yield { runId, firstSeq, program, isStart, hasTurn, nativeSession }
      hasTurn = false
      nativeSession = null
    }
  }
}

/**
 * Adds a run before newer ones. If it is the same as the oldest run in the list, extends that run with its earlier
 * part.
 */
function addRun(runs: EarlierRun[], { runId, firstSeq, program, hasTurn }: RunPart): void {
  if (!hasTurn || program === null) return
  const [oldest] = runs
  if (oldest?.runId === runId) oldest.firstSeq = firstSeq
  else if (runs.length < MAX_EARLIER_RUNS) runs.unshift({ runId, firstSeq, program, isHandedOver: false })
}

async function programOf(
  blobs: Blobs,
  created: EventOf<"run_created">,
  signal: AbortSignal,
): Promise<AgentProgram | null> {
  if (!isTask(created)) return null
  return created.program ?? (await readField(blobs, created.input, AgentInput, { signal }))
}

function successorIn(event: EventOf<"provider_switched">): AgentProgram {
  const { to_provider: cli, to_account: account, to_model: model, to_reasoning: reasoning } = event
  return { cli, account, model, reasoning }
}

/** True if two programs share their sessions. */
export function isSameAccount(one: AgentProgram, other: AgentProgram): boolean {
  return one.cli === other.cli && one.account === other.account
}
