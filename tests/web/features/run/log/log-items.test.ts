import { describe, expect, it } from "vitest"
import {
  agentNameOf,
  hasGrownAbove,
  type LogInput,
  logItems,
} from "../../../../../packages/web/src/features/run/log/log-items.ts"
import { toEvent } from "../../../../../packages/web/src/session/stream/event.ts"
import { emptyView } from "../../../../../packages/web/src/session/stream/view.ts"

const event = (seq: number, type: string, fields: object) =>
  toEvent({ seq, event_id: `evt_${seq}`, ts: "2026-01-02T03:04:05.000Z", run_id: "run_1", type, ...fields })
const begun = (seq: number) => event(seq, "run_claimed", { generation: 1 })
const said = (seq: number) => event(seq, "model_text", { node: "coder", iteration: 1, namespace: [], text: "x" })
const finished = (seq: number) => event(seq, "run_completed", { duration_ms: 5, workspace_version: 1 })

const all = [begun(1), said(2), said(3), finished(4), begun(5)]
const input: LogInput = {
  structural: all.filter(({ seq }) => seq !== 2 && seq !== 3),
  segments: [{ from: 1, to: 5, events: all }],
  carried: null,
  leftAt: null,
  seq: 5,
  details: false,
  isPaged: false,
}
const shown = (change: Partial<LogInput>) =>
  logItems({ ...input, ...change }).map((item) => (item.type === "divider" ? item.text : item.seq))

describe("the items of the log", () => {
  it("summarise, or are every event that was read", () => {
    expect(shown({ details: true, isPaged: true })).toEqual([1, 2, 3, 4, 5])
    expect(shown({})).not.toContain(2)
    expect(shown({})).toContain(4)
  })

  it("end at the moment that is shown", () => {
    expect(shown({ details: true, isPaged: true, seq: 3 })).toEqual([1, 2, 3])
    expect(shown({ seq: 3 })).not.toContain(4)
  })

  it("are those that are known where the events around the moment weren't read", () => {
    expect(shown({ details: true, isPaged: true, segments: [] })).toEqual([1, 4, 5])
  })

  it("say where the reader left, unless that is where they begin or after their end", () => {
    expect(shown({ details: true, isPaged: true, leftAt: 3 })).toEqual([1, 2, 3, "while you were away", 4, 5])
    expect(shown({ details: true, isPaged: true, leftAt: 0 })).toEqual([1, 2, 3, 4, 5])
    expect(shown({ details: true, isPaged: true, leftAt: 5 })).toEqual([1, 2, 3, 4, 5])
  })

  it("begin with those of the session before", () => {
    const carried = { events: [finished(9), said(10)], note: "the session was reset" }
    expect(shown({ carried, details: true, isPaged: true, seq: 1 })).toEqual([9, 10, "the session was reset", 1])
  })
})

describe("a list that has grown", () => {
  const items = (...seqs: number[]) => seqs.map(said)

  it("has grown above where older rows came in before the first", () => {
    expect(hasGrownAbove(items(3, 4), items(1, 2, 3, 4))).toBe(true)
    expect(hasGrownAbove(items(3, 4), items(3, 4, 5))).toBe(false)
    // Another part of the log was chosen, so no item keeps its position.
    expect(hasGrownAbove(items(3, 4), items(1, 2))).toBe(false)
  })

  it("hasn't where it is another list, or was or became empty", () => {
    expect(hasGrownAbove(items(3, 4), items(1))).toBe(false)
    expect(hasGrownAbove([], items(1))).toBe(false)
    expect(hasGrownAbove(items(1), [])).toBe(false)
  })
})

describe("the agent of a row", () => {
  it("is named where there are several", () => {
    const one = { main: { run: null, agent: { ...emptyView.agent, name: "Ada" } } }
    const two = { ...one, agent_2: { run: null, agent: { ...emptyView.agent, name: "Ben" } } }
    const of = (agent_id: string) => event(1, "agent_notice", { text: "x", agent_id })
    expect(agentNameOf(of("agent_2"), two)).toBe("Ben")
    expect(agentNameOf(of("gone"), two)).toBeUndefined()
    expect(agentNameOf(begun(1), two)).toBe("Ada")
    expect(agentNameOf(of("main"), one)).toBeUndefined()
  })
})
