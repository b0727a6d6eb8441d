import type { NewEvent } from "@switchyard/core/events"
import { numberBatch } from "@switchyard/core/log/batch"
import { applyEvent, emptySession } from "@switchyard/core/state"
import { createOutcomeLog } from "@switchyard/core/work/usage/outcomes"
import { beforeAll, describe, expect, it } from "vitest"
import { LOG_METRICS } from "../../infra/metric-list.ts"
import { created, opened } from "../core/kernel/folded.ts"
import { needs } from "../needs.ts"
import { missing, of, one, type Synth, synthesise } from "./synth/synth.ts"

type Line = Record<string, unknown>

/** True if a line matches a filter by CloudWatch's rules for JSON. All terms must match. */
function matches(pattern: string, line: Line): boolean {
  const terms = pattern.slice(1, -1).split("&&")
  return terms.every((term) => {
    const [, field = "", operator, wanted] = /^\s*\(\$\.(\w+) (=|>=|IS) (.+)\)\s*$/.exec(term) ?? []
    const value = line[field]
    if (operator === "=") return value === JSON.parse(String(wanted))
    if (operator === ">=") return typeof value === "number" && value >= Number(wanted)
    expect([operator, wanted]).toEqual(["IS", "TRUE"])
    return value === true
  })
}

/** Returns the values that each metric counts in these lines. */
function counted(lines: Line[]): Record<string, unknown[]> {
  return Object.fromEntries(
    LOG_METRICS.map(({ name, pattern, value }) => [
      name,
      lines.filter((line) => matches(pattern, line)).map((line) => (value ? line[value] : 1)),
    ]),
  )
}

const nothing = Object.fromEntries(LOG_METRICS.map(({ name }) => [name, []]))

/** Returns the log lines of a run that ends with this event. */
function linesOf(end: NewEvent): Line[] {
  const usage = { input: 1000, cache_read: null, cache_write: null, output: 0 }
  const used: NewEvent = {
    type: "model_usage",
    run_id: "run_1",
    agent_id: "main",
    model: "anthropic/claude-sonnet-4-5",
    usage,
  }
  const batch = { batchId: "bat_test", writer: "test", at: 1000, events: [opened(), created(), used, end] }
  const { events } = numberBatch(batch, 1)
  const lines: Line[] = []
  const log = createOutcomeLog((kind, fields) => lines.push(JSON.parse(JSON.stringify({ kind, ...fields }))))
  log("sid", events.slice(-1), events.reduce(applyEvent, emptySession))
  return lines
}

const run = { run_id: "run_1", agent_id: "main", duration_ms: 5 }

it("count failures, tokens and dollars in the lines that runs leave when they end", () => {
  const completed = counted(linesOf({ type: "run_completed", ...run, workspace_version: 0 }))
  expect(completed).toEqual({ ...nothing, Tokens: [1000], Dollars: [expect.closeTo(0.003, 6)] })
  const failure = { type: "run_failed", ...run, message: "It failed.", hint: "Try again." } as const
  expect(counted(linesOf({ ...failure, error_type: "provider_error" })).RunsFailed).toEqual([1])
  expect(counted(linesOf({ ...failure, error_type: "not_verified" })).RunsFailed).toEqual([])
})

it("count launches and waiting sessions, and no other line", () => {
  const lines = [
    { kind: "launch", result: "started", duration_ms: 61_000 },
    { kind: "launch", result: "queued", duration_ms: 9 },
    { kind: "launch", result: "given_up", duration_ms: 600_000 },
    { kind: "slots", reason: "check", waiting: 0 },
    { kind: "slots", reason: "event", granted: [] },
    { kind: "run", duration_ms: 5 },
    { kind: "request", status: 500, tokens: 5, usd: 5, fault: true, result: "given_up", waiting: 5 },
  ]
  expect(counted(lines)).toEqual({
    ...{ ...nothing, LaunchesGivenUp: [1], TimeToContainer: [61_000], SessionsWaiting: [0] },
  })
})

describe("the metrics of a stage", needs(missing), () => {
  let plain: Synth
  let all: Synth
  beforeAll(async () => {
    plain = await synthesise("prod", { bundle: false })
    all = await synthesise("dev", { env: { AGENTS: "on", SOCKETS: "on", ALARM_EMAIL: "a@example.com" }, bundle: false })
  })

  it("are counted in the logs of the functions and containers that the stage has", () => {
    const read = (synth: Synth, name: string) =>
      of(synth, "LogMetricFilter").flatMap(({ inputs }) =>
        inputs.metricTransformation.name === name ? inputs.logGroupName.split("-")[0] : [],
      )
    const groups = ["ApiLogs", "WorkerLogs", "SweepLogs"]
    for (const name of ["RunsFailed", "Tokens", "Dollars"]) {
      expect(read(plain, name).sort()).toEqual([...groups].sort())
      expect(read(all, name).sort()).toEqual([...groups, "SocketLogs", "RunnerLogs"].sort())
    }
    expect(read(all, "SessionsWaiting")).toEqual(["SlotsLogs"])
  })

  it("cost nothing while no run ends, because nothing is counted then", () => {
    for (const { inputs } of of(all, "LogMetricFilter")) {
      expect(inputs.metricTransformation).not.toHaveProperty("defaultValue")
      expect(inputs.metricTransformation).not.toHaveProperty("dimensions")
    }
  })

  it("are watched, and say so by mail when all is well again", () => {
    for (const [synth, stage] of [
      [plain, "prod"],
      [all, "dev"],
    ] as const) {
      const { namespace, metricName } = one(synth, "MetricAlarm", "RunsFail")
      const [filter] = of(synth, "LogMetricFilter").filter(
        ({ inputs }) => inputs.metricTransformation.name === metricName,
      )
      expect(namespace).toBe(`switchyard/${stage}`)
      expect(filter?.inputs.metricTransformation.namespace).toBe(namespace)
    }
    expect(of(plain, "MetricAlarm").map(({ name }) => name)).not.toContain("LaunchesAreGivenUp")
    expect(one(all, "MetricAlarm", "LaunchesAreGivenUp").metricName).toBe("LaunchesGivenUp")
    for (const { inputs } of of(all, "MetricAlarm")) expect(inputs.okActions).toEqual(inputs.alarmActions)
  })
})
