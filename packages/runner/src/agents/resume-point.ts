import { AgentInput, type AgentProgram, MAIN_AGENT } from "@switchyard/core/agents/conversations/schema"
import type { EventOf } from "@switchyard/core/events"
import { readHistoryBack } from "@switchyard/core/kernel/history"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import { readField } from "@switchyard/core/log/payload"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Records } from "@switchyard/core/storage/records"
import { isTask } from "@switchyard/core/work/runs/kinds"

/** Earlier work of an agent, continued by a new run. */
export interface ResumePoint {
  /** Native agent session, if that session belongs to this account. */
  nativeSession: string | null
  /** Runs whose work isn't in that session, oldest first. */
  unknown: EarlierRun[]
  /** True if the agent has worked here before. `interrupted` is true if it did so earlier in this very run. */
  followUp: boolean
  interrupted: boolean
}

/** An agent's run, or the part of it that begins with the event `firstSeq`. */
export interface EarlierRun {
  runId: string
  firstSeq: number
  /** Program that worked on the run last. */
  program: AgentProgram
  /** True if a problem made the run switch to another program. */
  isHandedOver: boolean
}

/** Maximum number of runs whose results are reported to a program. */
const MAX_EARLIER_RUNS = 20

interface HistoryDeps {
  records: Records
  blobs: Blobs
}

/** Reads the resume point from the log. Reads backwards, and only as far as needed. */
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

/** Part of a run that one program worked on. */
interface RunPart {
  runId: string
  firstSeq: number
  /** Null for a run without an agent's program. */
  program: AgentProgram | null
  /** True for the part that begins with the run itself. */
  isStart: boolean
  hasTurn: boolean
  /** Newest session that the program opened. */
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

/** Adds a run before newer ones. If the oldest run is the same one, extends it to its earlier part instead. */
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
