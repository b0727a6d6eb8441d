import type { EventOf, LogEvent } from "../../events.ts"
import { growth, isUnknown, larger, NO_TOKENS, plus } from "./counts.ts"
import { type Machine, machineOf, NO_TIME, plusTime, timeOn } from "./machines.ts"
import type { Tokens, UsageRow } from "./schema.ts"

/** Usage of one run, folded from its events. */
export interface RunUsage {
  kind: string
  agentId: string
  repository: string | null
  /** Node of the session's team that the run works on, and toward whose budget the run counts. */
  nodeId: string | null
  /** Account and model currently in use. */
  account: string | null
  provider: string
  model: string
  /** Sequence numbers of the run's first and last counted events. */
  firstSeq: number
  seq: number
  rows: UsageRow[]
  turn: Turn
  /** Machine of the executor, if it has a price, and its size, if it isn't the default. Machine time has been counted up to `countedTo`. */
  machine: { type: Machine; size?: string | undefined; countedTo: string } | null
  workedMs: number
  /** Timestamp up to which working time is counted. Null while no executor works on the run. */
  workCountedTo: string | null
  isEnded: boolean
  /**
   * True if the run's session was deleted. Such a run doesn't count toward the budget of a new session with the same
   * name.
   */
  isPast: boolean
  /** Account and model of the run itself, kept here while another agent reviews its work. */
  reviewed: Pick<RunUsage, "account" | "provider" | "model"> | null
}

/**
 * Usage reports of an agent's turn. The gateway reports each request, and the CLI reports a running total of the turn.
 * Both may report the same work, so the turn's usage is the larger of the two.
 */
interface Turn {
  requests: Tokens
  program: Tokens
  cost: number | null
}

const NO_TURN: Turn = { requests: NO_TOKENS, program: NO_TOKENS, cost: null }

/**
 * Maximum number of rows per run, because the session's snapshot has a size limit. If there are more rows, rows of the
 * same day are merged.
 */
const MAX_ROWS = 40

export function newRunUsage(event: EventOf<"run_created">): RunUsage {
  const { kind, agent_id: agentId, repository = null, program, seq } = event
  const model = splitModelName(event.model)
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

/** Types of events that update the working time of an active run. */
const WORK_COUNTED: ReadonlySet<string> = new Set(["model_usage", "agent_usage", "run_parked", "run_handed_over"])

/**
 * Returns the usage after one more event of the run. Returns the same object if nothing changed. `size` is the size of
 * the session's container, if it isn't the default.
 */
export function usageAfter(run: RunUsage, event: LogEvent, size?: string): RunUsage {
  if (event.type === "run_claimed") return claimedBy(notReviewed(run), event, size)
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
    // A run that was presumed dead did nothing after its last report, so its time is counted only up to that report.
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

/** Returns the usage at the end of the run. */
export function usageAtEnd(run: RunUsage, event: LogEvent): RunUsage {
  return { ...leftBy(workedTo(run, event), event), isEnded: true }
}

function claimedBy(run: RunUsage, { executor, ts }: EventOf<"run_claimed">, size: string | undefined): RunUsage {
  const type = machineOf(executor)
  return { ...run, workCountedTo: ts, machine: type && { type, ...(size && { size }), countedTo: ts } }
}

/** Counts the executor's machine time up to this event, after which the executor no longer works on the run. */
function leftBy(run: RunUsage, event: LogEvent): RunUsage {
  const left = { ...run, workCountedTo: null }
  return run.machine ? { ...withRow(left, event, NOTHING), machine: null } : left
}

/** Attributes the usage after this event to the reviewer's account and model. */
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
  const { usage, searches = 0, cost_usd: reported_cost = null } = event
  const amounts = { ...reportOf(usage), searches, reported_cost }
  const counted = withRow({ ...run, ...splitModelName(event.model) }, event, amounts)
  // A search service isn't the run's model, so restore the run's model.
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

/**
 * Adds an estimate for an answer whose usage the provider didn't report. Estimates are kept apart from reported usage.
 */
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

/** Adds these amounts, along with the machine time since amounts were last added. */
function withRow(run: RunUsage, { ts, seq }: LogEvent, amounts: Amounts): RunUsage {
  const { account, provider, model, machine } = run
  const time = machine ? timeOn(machine.type, machine.countedTo, ts, machine.size) : NO_TIME
  const row: UsageRow = { day: ts.slice(0, 10), account, provider, model, ...amounts, machine: time }
  return { ...run, seq, rows: withAmounts(run.rows, row), machine: machine && { ...machine, countedTo: ts } }
}

/** Adds amounts to a run's rows, and merges rows if there are more than the maximum. */
export function withAmounts(before: UsageRow[], row: UsageRow): UsageRow[] {
  const rows = addRow(before, row)
  return rows.length > MAX_ROWS ? mergedOldest(rows) : rows
}

/** Adds a row to the existing row for the same day, account and model. Appends it if there is no such row. */
function addRow(rows: UsageRow[], row: UsageRow): UsageRow[] {
  const isSame = (one: UsageRow) =>
    one.day === row.day && one.account === row.account && one.provider === row.provider && one.model === row.model
  const same = rows.find(isSame)
  return same ? rows.map((one) => (one === same ? { ...one, ...sumOf(one, row) } : one)) : [...rows, row]
}

type Summed = Amounts & Pick<UsageRow, "machine">

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
    machine: plusTime(a.machine, b.machine),
  }
}

/** Merges the first two consecutive rows of the same day. The sum keeps the second row's account and model. */
function mergedOldest(rows: UsageRow[]): UsageRow[] {
  const at = rows.findIndex(({ day }, index) => rows[index + 1]?.day === day)
  const [one, next] = rows.slice(at, at + 2)
  if (at < 0 || !one || !next) return rows
  return [...rows.slice(0, at), { ...next, ...sumOf(one, next) }, ...rows.slice(at + 2)]
}

/** Splits `provider/model`. Without a slash, the provider is empty. */
export function splitModelName(name: string): { provider: string; model: string } {
  const slash = name.indexOf("/")
  return slash < 0 ? { provider: "", model: name } : { provider: name.slice(0, slash), model: name.slice(slash + 1) }
}
