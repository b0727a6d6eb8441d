import { isDeepStrictEqual } from "node:util"
import type { LogEvent, NewEvent } from "@switchyard/core/events"
import { decodeBatch } from "@switchyard/core/log/batch"
import { applyEvent, emptySession, type SessionState } from "@switchyard/core/state"
import type { StoredRecord } from "@switchyard/core/storage/records"
import { isEnded } from "@switchyard/core/work/runs/state"
import type { World } from "./world.ts"

/** Observations of a history by its participants. */
export type Testimony = Pick<World, "attempts" | "decisions" | "readings" | "states" | "finalHead">

/** Returns all violations in a history. Each begins with the name of the broken promise. */
export async function judge(world: Testimony, records: StoredRecord[]): Promise<string[]> {
  const { log, broken } = await assemble(records)
  const ids = new Map(log.map((event) => [event.event_id, event]))
  return [
    ...broken,
    ...judgeAttempts(world, log, ids),
    ...judgeDecisions(world, log),
    ...judgeReadings(world, log),
    ...judgeStates(world, log),
    ...judgeHistory(log),
  ]
}

/** Decodes the log from the stored records, independently of the product's reader. */
async function assemble(records: StoredRecord[]): Promise<{ log: LogEvent[]; broken: string[] }> {
  const log: LogEvent[] = []
  const broken: string[] = []
  for (const record of records) {
    const batch = await decodeBatch<NewEvent>(record)
    if (batch.firstSeq !== log.length + 1)
      broken.push(`gapless: a batch begins at ${batch.firstSeq}, not ${log.length + 1}`)
    log.push(...batch.events)
  }
  return { log, broken }
}

function* judgeAttempts({ attempts }: Testimony, log: LogEvent[], ids: Map<string, LogEvent>): Generator<string> {
  for (const { batchId, told, events, placed } of attempts) {
    const standing = log.filter((event) => event.event_id.startsWith(`${batchId.replace("bat_", "evt_")}_`))
    if (standing.length !== 0 && standing.length !== events.length) yield `atomic: ${batchId} stands in part`
    if (told === "lost" && standing.length > 0) yield `told the truth: ${batchId} lost, and stands in the log`
    if (told === "won" && standing.length !== events.length)
      yield `told the truth: ${batchId} won, and is not in the log`
    for (const event of placed) {
      if (!isDeepStrictEqual(ids.get(event.event_id), event)) yield `told the truth: ${event.event_id} stands elsewhere`
    }
  }
  if (ids.size !== log.length) yield "identity: two events have one id"
}

function* judgeDecisions({ decisions }: Testimony, log: LogEvent[]): Generator<string> {
  const made = new Set<string>()
  for (const { tag, exclusive, told } of decisions) {
    if (exclusive && told === "made" && made.has(exclusive)) yield `exclusive: ${exclusive} was decided twice`
    if (exclusive && told === "made") made.add(exclusive)
    if (tag.startsWith("end ")) continue
    const standing = new Set(log.filter((event) => tagOf(event) === tag).map(batchOf)).size
    if (told === "made" && standing !== 1) yield `once: "${tag}" was decided, and stands ${standing} times in the log`
    if (told === "not made" && standing > 0) yield `refused: "${tag}" stands in the log`
    if (told === "nothing" && standing > 1) yield `once: "${tag}" stands ${standing} times in the log`
  }
}

function* judgeReadings({ readings, finalHead }: Testimony, log: LogEvent[]): Generator<string> {
  for (const { since, events } of readings) {
    const expected = log.slice(since, since + events.length)
    if (!isDeepStrictEqual(events, expected)) {
      yield `readers: after ${since} came ${events.map(({ seq }) => seq)} instead of ${expected.map(({ seq }) => seq)}`
    }
  }
  if (finalHead !== log.length) yield `readers: the head is ${log.length}, and was thought to be ${finalHead}`
}

function* judgeStates({ states }: Testimony, log: LogEvent[]): Generator<string> {
  const folds = [emptySession]
  for (const event of log) folds.push(applyEvent(folds.at(-1) ?? emptySession, event))
  for (const state of states) {
    if (!isDeepStrictEqual(state, folds[state.head])) yield `fold: a session's state at ${state.head} is not its log's`
  }
  if (states.at(-1)?.head !== log.length) yield "fold: who reads last does not get to the head"
}

/** Checks the promises that hold for every session. */
function* judgeHistory(log: LogEvent[]): Generator<string> {
  const generationOf = new Map<string, number>()
  const steps = new Set<string>()
  let state: SessionState = emptySession
  for (const event of log) {
    const run = event.run_id ? state.runs.byId[event.run_id] : undefined
    const at = `${event.type} at ${event.seq}`
    if (event.type === "session_deleted" && Object.values(state.runs.byId).some((run) => !isEnded(run)))
      yield `deleted: ${at}`
    if (event.run_id && event.type !== "run_created") {
      if (!run) yield `deleted: ${at} is of a run that this session has not`
      else if (isEnded(run)) yield `one end: ${at} comes after the end`
    }
    if (event.type === "run_created" && Object.values(state.runs.byId).some((run) => !isEnded(run)))
      yield `one active run: ${at}`
    if (event.type === "run_claimed") {
      if (event.generation !== (run?.generation ?? 0) + 1) yield `generation: ${at}`
      generationOf.set(event.executor, event.generation)
    }
    if (event.type === "run_completed" && run?.cancelReason !== null) yield `cancel wins: ${at}`
    const executor = executorOf(event)
    if (executor && (run?.status !== "running" || run.generation !== generationOf.get(executor))) yield `fence: ${at}`
    if (executor && run?.cancelReason !== null) yield `cancel wins: ${at}`
    if (event.type === "workspace_committed") {
      const step = `${event.run_id} ${event.step}`
      if (steps.has(step)) yield `step once: ${step} is committed again`
      steps.add(step)
      if (event.version !== state.workspace.version + 1) yield `versions: ${at}`
    }
    state = applyEvent(state, event)
  }
  if (Object.values(state.runs.byId).some((run) => !isEnded(run))) yield "liveness: a run never ends"
}

/** Returns the tag of an event's decision. */
function tagOf(event: LogEvent): string | undefined {
  if (event.type === "run_created") return event.run_id
  if (event.type === "run_claimed") return `claim ${event.executor}`
  if (event.type === "workspace_committed") return event.manifest
  if (event.type === "run_cancel_requested") return event.reason
  return "text" in event ? event.text : undefined
}

function batchOf(event: LogEvent): string {
  return event.event_id.slice(0, event.event_id.lastIndexOf("_"))
}

/** Returns the executor of an event, from texts like `said exe1 …`, `finished exe1` and `commit exe1 …`. */
function executorOf(event: LogEvent): string | undefined {
  if (!event.run_id) return undefined
  if (event.type === "workspace_committed") return event.manifest.split(" ")[1]
  return "text" in event ? event.text.split(" ")[1] : undefined
}
