import { createRepetition } from "@switchyard/core/agents/conversations/repetition"
import type { NewEvent } from "@switchyard/core/events"
import { describe, expect, it } from "vitest"

interface Call {
  command?: string
  path?: string
  after?: string
  shows?: string
  parent?: string
}

/** Feeds these calls to the detector and returns its report on the last call, if any. */
function seen(calls: Call[]): string | undefined {
  const repetition = createRepetition()
  const said = calls.flatMap(({ command, path, after, shows = "ok", parent }, at) => {
    const tool_call_id = `${at}`
    const about = { tool: path === undefined ? ("bash" as const) : ("edit" as const), command, path }
    const started: NewEvent = { type: "tool_call_started", tool_call_id, ...about, parent_tool_call_id: parent }
    const end = { exit_code: 0, duration_ms: at, llm_summary: shows, after_sha256: after }
    const finished: NewEvent = { type: "tool_call_finished", tool_call_id, ...end }
    return [repetition.see(started), repetition.see(finished)]
  })
  return said.at(-1)
}

const times = (count: number, call: (at: number) => Call) => Array.from({ length: count }, (_, at) => call(at))
const make: Call = { command: "make" }

describe("an agent", () => {
  it("goes in circles that makes the same call six times in a row and sees the same", () => {
    expect(seen(times(5, () => make))).toBeUndefined()
    expect(seen(times(6, () => make))).toBe("the same call 6 times, with the same result: make")
  })

  it("goes in circles whose edits undo one another", () => {
    const between = (count: number) => times(count, (at) => ({ path: "a.ts", after: at % 2 === 0 ? "one" : "two" }))
    expect(seen(between(5))).toBeUndefined()
    expect(seen(between(6))).toBe("edits to a.ts that undo each other")
  })

  it.each<[string, Call[]]>([
    ["waits for something that changes", times(20, (at) => ({ ...make, shows: `${at} %` }))],
    ["does something between", times(20, (at) => (at % 2 === 0 ? make : { command: `edit ${at}` }))],
    [
      "puts in one fault after another, to see tests fail",
      [...times(20, (at) => ({ path: "a.ts", after: at % 2 === 0 ? "whole" : `fault ${at}` }))],
    ],
    ["has helpers that each do the same", times(20, () => ({ ...make, parent: "helper" }))],
    ["edits many files in the same way", times(20, (at) => ({ path: `${at}.ts`, after: "same" }))],
  ])("works that %s", (_what, calls) => {
    expect(seen(calls)).toBeUndefined()
  })
})
