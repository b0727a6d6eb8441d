import type { EventOf, LogEvent } from "../../events.ts"
import { growth, isUnknown, larger, NO_TOKENS, plus } from "./counts.ts"
import { type Machine, machineOf, NO_TIME, timeOn } from "./machines.ts"
import type { Tokens, UsageRow } from "./schema.ts"

/** The usage of one run, as its events tell it. */
export interface RunUsage {
  kind: string
  agentId: string
  repository: string | null
  /** The node of the session's team that it works on and for whose budget it counts. */
  nodeId: string | null
  /** The account and the model in use. */
  account: string | null
  provider: string
  model: string
  /** The event that began it, and the last that it counts. */
  firstSeq: number
  seq: number
  rows: UsageRow[]
  turn: Turn
  /** Its executor's machine, where that has a price, and the moment up to which its time was counted. */
  machine: { type: Machine; countedTo: string } | null
  /** The time for which it was at work, and the moment up to which that was counted; null while nobody works on it. */
  workedMs: number
  workCountedTo: string | null
  isEnded: boolean
  /** Whether its session was deleted since: it counts for no budget of the session that has its name now. */
  isPast: boolean
  /** The run's own account and model while another agent reviews its work. */
  reviewed: Pick<RunUsage, "account" | "provider" | "model"> | null
}

/**
 * The reports of an agent's turn. Its gateway's are of its requests, one after the other; its program's are of the turn so
 * far. Both may come, of the same work, so the turn's usage is the larger of the two.
 */
interface Turn {
  requests: Tokens
  program: Tokens
  cost: number | null
}

const NO_TURN: Turn = { requests: NO_TOKENS, program: NO_TOKENS, cost: null }

/** Rows of one run, beyond which models of one day are counted together: its session's snapshot has a limit. */
const MAX_ROWS = 40

export function newRunUsage(event: EventOf<"run_created">): RunUsage {
  const { kind, agent_id: agentId, repository = null, program, seq } = event
  const model = modelOf(event.model)
  return {
    ...{ kind, agentId, repository, nodeId: null, account: program?.account ?? event.account ?? null },
    ...(program ? { provider: program.cli, model: program.model ?? "default" } : model),
    ...{
      firstSeq: seq,
      seq,
      rows: [],
      turn: NO_TURN,
      machine: null,
      workedMs: 0,
      workCountedTo: null,
      isEnded: false,
      isPast: false,
      reviewed: null,
    },
  }
}

/** The events up to which the time of a run's work is counted while it is at work. */
const WORK_COUNTED: ReadonlySet<string> = new Set(["model_usage", "agent_usage", "run_parked", "run_handed_over"])

/** The usage after one more event of the run; the same object where that says nothing of it. */
export function usageAfter(run: RunUsage, event: LogEvent): RunUsage {
  return amountsAfter(WORK_COUNTED.has(event.type) ? workedTo(run, event) : run, event)
}

function workedTo(run: RunUsage, { ts }: LogEvent): RunUsage {
  if (run.workCountedTo === null) return run
  const more = Math.max(0, Date.parse(ts) - Date.parse(run.workCountedTo))
  return { ...run, workedMs: run.workedMs + more, workCountedTo: ts }
}

function amountsAfter(run: RunUsage, event: LogEvent): RunUsage {
  switch (event.type) {
    case "agent_turn_started":
      return { ...run, turn: NO_TURN, provider: event.cli, model: event.model ?? run.model }
    case "agent_session_opened":
      return event.model === null ? run : { ...run, model: event.model }
    case "review_started":
      return reviewedBy(notReviewed(run), event)
    case "review_finished":
      return notReviewed(run)
    case "run_claimed":
      return claimedBy(notReviewed(run), event)
    // One that was presumed dead did nothing more: its time counts up to its last report.
    case "run_relaunched":
      return { ...run, machine: null, workCountedTo: null }
    case "run_parked":
    case "run_handed_over":
      return leftBy(run, event)
    case "provider_switched":
      return {
        ...{ ...run, account: event.to_account, provider: event.to_provider },
        ...{ model: event.to_model ?? "default", turn: NO_TURN },
      }
    case "agent_usage":
      return withReport(run, event)
    case "model_usage":
      return withModelUsage(run, event)
    case "chat_answered":
      return withEstimate(run, event)
    default:
      return run
  }
}

/** The run at its end. */
export function usageAtEnd(run: RunUsage, event: LogEvent): RunUsage {
  return { ...leftBy(workedTo(run, event), event), isEnded: true }
}

function claimedBy(run: RunUsage, { executor, ts }: EventOf<"run_claimed">): RunUsage {
  const type = machineOf(executor)
  return { ...run, workCountedTo: ts, machine: type && { type, countedTo: ts } }
}

/** Counts what its executor's machine costs up to this event, the last of that executor. */
function leftBy(run: RunUsage, event: LogEvent): RunUsage {
  const left = { ...run, workCountedTo: null }
  return run.machine ? { ...withRow(left, event, NOTHING), machine: null } : left
}

/** Counts for the account and the model of a reviewer from now on. */
function reviewedBy(run: RunUsage, { reviewer }: EventOf<"review_started">): RunUsage {
  const { account, provider, model } = run
  const own = { account, provider, model }
  const theirs = { account: reviewer.account, provider: reviewer.cli, model: reviewer.model ?? "default" }
  return { ...run, ...theirs, turn: NO_TURN, reviewed: own }
}

function notReviewed(run: RunUsage): RunUsage {
  return run.reviewed ? { ...run, ...run.reviewed, turn: NO_TURN, reviewed: null } : run
}

function withModelUsage(run: RunUsage, event: EventOf<"model_usage">): RunUsage {
  const { usage, searches = 0 } = event
  const counted = withRow({ ...run, ...modelOf(event.model) }, event, { ...reportOf(usage), searches })
  // A search by a service is no call of the model with which the run goes on.
  return event.model.endsWith("/web-search") ? { ...counted, provider: run.provider, model: run.model } : counted
}

function withReport(run: RunUsage, event: EventOf<"agent_usage">): RunUsage {
  const { turn } = run
  const { usage, basis = "requests" } = event
  const next: Turn = {
    requests: basis === "requests" ? plus(turn.requests, usage) : turn.requests,
    program: basis === "turn" ? larger(turn.program, usage) : turn.program,
    cost: event.cost_usd === null ? turn.cost : Math.max(turn.cost ?? 0, event.cost_usd),
  }
  const tokens = growth(larger(turn.requests, turn.program), larger(next.requests, next.program))
  const cost = next.cost === null ? null : next.cost - (turn.cost ?? 0)
  const report = { ...reportOf(usage), tokens, reported_cost: cost }
  return { ...withRow(run, event, report), turn: next }
}

/** An answer whose provider didn't count it: a guess stands beside what is known. */
function withEstimate(run: RunUsage, event: EventOf<"chat_answered">): RunUsage {
  const { estimated_input: input, estimated_output: output } = event.usage
  if (input === null && output === null) return run
  return withRow(run, event, { ...NOTHING, estimated: { input: input ?? 0, output: output ?? 0 } })
}

type Amounts = Omit<UsageRow, "day" | "account" | "provider" | "model" | "machine">

const NOTHING: Amounts = {
  ...{ tokens: NO_TOKENS, estimated: { input: 0, output: 0 }, reports: 0, unreported: 0 },
  ...{ searches: 0, reported_cost: null },
}

function reportOf(tokens: Tokens): Amounts {
  return { ...NOTHING, tokens, reports: 1, unreported: isUnknown(tokens) ? 1 : 0 }
}

/** The run with these amounts, and its machine's time since the amounts before. */
function withRow(run: RunUsage, { ts, seq }: LogEvent, amounts: Amounts): RunUsage {
  const { account, provider, model, machine } = run
  const time = machine ? timeOn(machine.type, machine.countedTo, ts) : NO_TIME
  const row: UsageRow = { day: ts.slice(0, 10), account, provider, model, ...amounts, machine: time }
  return { ...run, seq, rows: withAmounts(run.rows, row), machine: machine && { ...machine, countedTo: ts } }
}

/** The rows with the amounts of one more, of which there are never more than the most of a run. */
export function withAmounts(before: UsageRow[], row: UsageRow): UsageRow[] {
  const rows = addRow(before, row)
  return rows.length > MAX_ROWS ? mergedOldest(rows) : rows
}

/** The rows with one more, which is added to the one of its day, account and model. */
function addRow(rows: UsageRow[], row: UsageRow): UsageRow[] {
  const isSame = (one: UsageRow) =>
    one.day === row.day && one.account === row.account && one.provider === row.provider && one.model === row.model
  const same = rows.find(isSame)
  return same ? rows.map((one) => (one === same ? { ...one, ...sumOf(one, row) } : one)) : [...rows, row]
}

type Summed = Amounts & Pick<UsageRow, "machine">

/** The sum of the amounts of two rows. */
function sumOf(a: Summed, b: Summed): Summed {
  const cost = a.reported_cost === null && b.reported_cost === null
  return {
    tokens: plus(a.tokens, b.tokens),
    estimated: {
      input: a.estimated.input + b.estimated.input,
      output: a.estimated.output + b.estimated.output,
    },
    reports: a.reports + b.reports,
    unreported: a.unreported + b.unreported,
    searches: a.searches + b.searches,
    reported_cost: cost ? null : (a.reported_cost ?? 0) + (b.reported_cost ?? 0),
    machine: {
      container_ms: a.machine.container_ms + b.machine.container_ms,
      function_ms: a.machine.function_ms + b.machine.function_ms,
    },
  }
}

/** Counts two rows of one day as one. Which models those were is lost; how much they used is not. */
function mergedOldest(rows: UsageRow[]): UsageRow[] {
  const at = rows.findIndex(({ day }, index) => rows[index + 1]?.day === day)
  const [one, next] = rows.slice(at, at + 2)
  if (at < 0 || !one || !next) return rows
  return [...rows.slice(0, at), { ...next, ...sumOf(one, next) }, ...rows.slice(at + 2)]
}

/** The provider and the model of `provider/model`. */
function modelOf(name: string): { provider: string; model: string } {
  const slash = name.indexOf("/")
  return slash < 0 ? { provider: "", model: name } : { provider: name.slice(0, slash), model: name.slice(slash + 1) }
}
