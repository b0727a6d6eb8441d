import { placeLimits } from "@switchyard/functions/aws/place-rules"
import { readFirewall } from "../../tools/cloud/firewall.ts"
import { total } from "../../tools/cloud/idle-month.ts"
import { PRICES } from "../../tools/cloud/prices.ts"
import { idleMonth, OPEN_STREAM, RUN, runnerUse, START, use } from "./cost.ts"
import { of, type Synth } from "./synth/synth.ts"

/** A person's use on each working day, and the data stored for them. `docs/cost.md` states the same. */
const DAY = { hours: 8, tabHours: 4, runs: 10, requests: 1000, gbOut: 0.05, agentHours: 1, agentStarts: 4 }
const WORKING_DAYS = 22
const KEPT_EACH = { recordGb: 0.05, blobGb: 0.5 }
const RUN_HOURS = (DAY.runs * RUN.seconds) / 3600

/** Returns a person's monthly cost without the model, and the additional cost of an hour of agents a day. */
export function personMonth(synth: Synth): { plain: number; agents: number } {
  const [run = 0, tabHour = 0, shownHour = 0, requests = 0, gbOut = 0] = use(synth).map(({ dollars }) => dollars)
  const tab = DAY.tabHours * tabHour + RUN_HOURS * shownHour
  const day = tab + DAY.runs * run + (DAY.requests / 10_000) * requests + DAY.gbOut * gbOut
  const records = KEPT_EACH.recordGb * (PRICES.recordGbMonth + PRICES.recordBackupGbMonth)
  const kept = records + KEPT_EACH.blobGb * PRICES.blobGbMonth
  const [hour = 0, sent = 0, start = 0, wait = 0] = runnerUse(synth).map(({ dollars }) => dollars)
  return {
    plain: WORKING_DAYS * day + kept,
    agents: WORKING_DAYS * (DAY.agentHours * (hour + sent + shownHour) + DAY.agentStarts * (start + wait)),
  }
}

/** Use of a function that the table's stream would call for each batch of events. */
const PUSH = { gbSeconds: 0.25 * 0.03, reads: 1 }

/**
 * Returns the cost of a person's tab in a month with agents: with today's streams, or with each batch pushed through
 * API Gateway or AppSync Events. `docs/decisions/open-tabs.md` compares them.
 */
export function tabMonth(synth: Synth): { streams: number; gateway: number; events: number } {
  const [, tabHour = 0, shownHour = 0] = use(synth).map(({ dollars }) => dollars)
  const workHours = RUN_HOURS + DAY.agentHours
  const minutes = DAY.tabHours * 60
  const batches = ((workHours * 3600) / RUN.seconds) * RUN.writes
  const call = PRICES.lambdaRequest + PUSH.gbSeconds * PRICES.lambdaGbSecond + PUSH.reads * PRICES.recordRead
  return {
    streams: WORKING_DAYS * (DAY.tabHours * tabHour + workHours * shownHour),
    gateway: WORKING_DAYS * (minutes * PRICES.socketMinute + batches * (call + PRICES.socketMessage)),
    // Each batch is published once and delivered once.
    events: WORKING_DAYS * (minutes * PRICES.eventsMinute + batches * (call + 2 * PRICES.eventsOperation)),
  }
}

/** Ratio of the busiest time to the working day's average. */
const PEAK = 2
const atPeak = (hours: number) => (PEAK * hours) / DAY.hours

/** A person's needs at the busiest time. */
const NEED = {
  functions: atPeak(
    DAY.tabHours + RUN_HOURS + (DAY.requests * 0.1) / 3600 + (DAY.agentStarts * START.workerSeconds) / 3600,
  ),
  containers: atPeak(DAY.agentHours + DAY.agentStarts * START.idleHours),
  startsASecond: atPeak(DAY.agentStarts / 3600),
  requestsASecond: atPeak((DAY.requests + DAY.tabHours * OPEN_STREAM.answers) / 3600),
  readsASecond: atPeak(
    (DAY.tabHours * OPEN_STREAM.reads + (RUN_HOURS + DAY.agentHours) * OPEN_STREAM.busyReads + DAY.runs * RUN.reads) /
      3600,
  ),
}

interface Limit {
  what: string
  most: number
  /** Each person's share at the busiest time. */
  each: number
  /** True if a setting turns it on. */
  optional?: true
}

/** Returns the limits, lowest first. AWS's quotas are the defaults in its documents of November 2026. */
function limits(withAgents: Synth): Limit[] {
  const addresses = of(withAgents, "Subnet").map(({ inputs }) => 2 ** (32 - inputs.cidrBlock.split("/")[1]) - 5)
  const given: Limit[] = [
    { what: "concurrent functions, new account", most: 10, each: NEED.functions },
    { what: "vCPUs, new account", most: 6, each: NEED.containers },
    { what: "`RUNNERS_AT_ONCE`", most: placeLimits({}).total, each: NEED.containers },
    { what: "concurrent functions", most: 1000, each: NEED.functions },
    { what: "subnets' addresses", most: addresses.reduce((sum, count) => sum + count, 0), each: NEED.containers },
    {
      what: "requests in five minutes from one address, with `FIREWALL=on`",
      most: readFirewall("on") ?? 0,
      each: 300 * NEED.requestsASecond,
      optional: true,
    },
    { what: "the table's reads per second", most: 40_000, each: NEED.readsASecond },
    { what: "container starts per second", most: 20, each: NEED.startsASecond },
    { what: "CloudFront's requests per second", most: 250_000, each: NEED.requestsASecond },
  ]
  return given.toSorted((a, b) => enoughFor(a) - enoughFor(b))
}

const enoughFor = ({ most, each }: Limit) => Math.floor(most / each)

const row = (...cells: (string | number)[]) => `| ${cells.map((cell) => cell.toLocaleString("en")).join(" | ")} |`

/** Returns each limit with the number of people that it is enough for, as in `docs/cost.md`. */
export function limitsTable(withAgents: Synth): string {
  return limits(withAgents)
    .map((limit) => row(limit.what, limit.most, enoughFor(limit)))
    .join("\n")
}

/**
 * Returns a row for each number of people, as in `docs/cost.md`: the monthly cost without and with agents, the needs at
 * the busiest time, and the first limit that is too low for them but not for the number before.
 */
export function peopleTable([without, withAgents]: [Synth, Synth], counts: number[]): string {
  const [idle, idleWithAgents] = [total(idleMonth(without)), total(idleMonth(withAgents))]
  const { plain, agents } = personMonth(withAgents)
  const rows = counts.map((count, index) => {
    const fewer = counts[index - 1] ?? 0
    const first = limits(withAgents).find(
      (limit) => !limit.optional && fewer <= enoughFor(limit) && enoughFor(limit) < count,
    )
    return row(
      count,
      Math.round(idle + count * plain),
      Math.round(idleWithAgents + count * (plain + agents)),
      Math.ceil(count * NEED.functions),
      Math.ceil(count * NEED.containers),
      first?.what ?? "none",
    )
  })
  return rows.join("\n")
}
