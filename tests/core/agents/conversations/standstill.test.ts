import { createStandstill } from "@switchyard/core/agents/conversations/standstill"
import type { NewEvent } from "@switchyard/core/events"
import { describe, expect, it } from "vitest"

interface Step {
  command?: string
  path?: string
  after?: string
  shows?: string
  parent?: string
}

const BIG = 500_000
const times = (count: number, step: (at: number) => Step) => Array.from({ length: count }, (_, at) => step(at))
const usage = (read: number, basis: "requests" | "turn"): NewEvent => ({
  ...{ type: "agent_usage", cli: "claude", cost_usd: null, basis },
  usage: { input: 0, cache_read: read, cache_write: null, output: 0 },
})

/** Feeds these steps to the detector, each after an answer of `read` tokens. Returns the first report and its step. */
function seen(steps: Step[], read = BIG, basis: "requests" | "turn" = "requests") {
  const standstill = createStandstill()
  for (const [at, { command, path, after, shows = "ok", parent }] of steps.entries()) {
    const tool_call_id = `${at}`
    const about = { tool: path === undefined ? ("bash" as const) : ("edit" as const), command, path }
    const end = { exit_code: 0, duration_ms: at, llm_summary: shows, after_sha256: after }
    const events: NewEvent[] = [
      usage(basis === "turn" ? read * (at + 1) : read, basis),
      { type: "tool_call_started", tool_call_id, ...about, parent_tool_call_id: parent },
      { type: "tool_call_finished", tool_call_id, ...end },
    ]
    for (const event of events) {
      const said = standstill.see(event)
      if (said) return { at, said }
    }
  }
  return undefined
}

const inTurn = (at: number): Step => ({ command: at % 2 === 0 ? "make" : "make test" })

describe("an agent", () => {
  it.each(["requests", "turn"] as const)("gets nowhere that uses much for what it knows, told by %s", (basis) => {
    const said = seen(times(40, inTurn), BIG, basis)
    expect(said?.at).toBe(13)
    expect(said?.said).toBe("6,000,000 tokens in 12 answers without a change, a new call or a new result")
  })

  it("gets nowhere only once it has used two million tokens", () => {
    expect(seen(times(210, inTurn), 10_000)?.at).toBe(201)
    expect(seen(times(150, inTurn), 10_000)).toBeUndefined()
  })

  it.each<[string, (at: number) => Step]>([
    [
      "runs the same tests, whose times alone differ",
      (at) => ({ command: "t", shows: `1 failed in 0.${at}s, 10:0${at % 10}` }),
    ],
    ["brings its files back and forth", (at) => ({ path: `${at % 3}.ts`, after: `${at % 2}` })],
  ])("gets nowhere that %s", (_what, step) => {
    expect(seen(times(40, step))).toBeDefined()
  })

  it.each<[string, (at: number) => Step]>([
    ["reads a large codebase", (at) => ({ command: `cat ${at}.ts` })],
    ["waits for something that changes", (at) => ({ command: "make", shows: `${at} %` })],
    ["edits now and then", (at) => (at % 10 === 9 ? { path: "a.ts", after: `${at}` } : inTurn(at))],
    ["has a helper that reads", (at) => ({ command: `cat ${at}.ts`, parent: "helper" })],
  ])("works that %s", (_what, step) => {
    expect(seen(times(200, step))).toBeUndefined()
  })

  it("works while a call of its own goes on, such as a helper of which nothing is told", () => {
    const standstill = createStandstill()
    standstill.see({ type: "tool_call_started", tool_call_id: "1", tool: "other", name: "Task" })
    const said = times(100, () => ({})).map(() => standstill.see(usage(BIG, "requests")))
    expect(said.filter(Boolean)).toEqual([])
    const end = { exit_code: 0, duration_ms: 1, llm_summary: "It is done." }
    expect(standstill.see({ type: "tool_call_finished", tool_call_id: "1", ...end })).toBeUndefined()
  })
})
