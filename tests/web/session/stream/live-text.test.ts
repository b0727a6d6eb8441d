import { describe, expect, it } from "vitest"
import { toEvent } from "../../../../packages/web/src/session/stream/event.ts"
import {
  liveTextAt,
  noLiveText,
  reduceLiveText,
  thinkingOf,
} from "../../../../packages/web/src/session/stream/live-text.ts"

let seq = 0
const event = (type: string, fields: object = {}) =>
  toEvent({ event_id: `e${seq}`, seq: ++seq, ts: "2026-01-01T00:00:00.000Z", run_id: "run_1", type, ...fields })
const coder = { node: "coder", iteration: 1, namespace: [] }
const part = (path: string, offset: number, text: string, visit: object = coder) =>
  event("file_text", { ...visit, path, offset, text })
const saved = (path: string, more: object = {}) =>
  event("workspace_committed", {
    version: 1,
    manifest: "m",
    changes: [{ op: "write", path, sha256: "s", size_bytes: 1 }],
    ...more,
  })
const foldOf = (...events: ReturnType<typeof event>[]) => events.reduce(reduceLiveText, noLiveText)

describe("live text", () => {
  it("grows by parts, each file for itself, and begins anew at 0", () => {
    const live = foldOf(part("a", 0, "on"), part("b", 0, "two"), part("a", 2, "e"))
    expect([...live.files]).toEqual([
      ["a", "one"],
      ["b", "two"],
    ])
    expect(reduceLiveText(live, part("a", 0, "x")).files.get("a")).toBe("x")
  })

  it("shows nothing of a text whose beginning it doesn't know", () => {
    expect(foldOf(part("a", 10, "end")).files.size).toBe(0)
    expect(foldOf(part("a", 0, "one"), part("a", 10, "end")).files.size).toBe(0)
  })

  it("ends with the run's commit, not with a person's", () => {
    const live = foldOf(part("a", 0, "one"), part("b", 0, "two"))
    expect([...reduceLiveText(live, saved("a")).files.keys()]).toEqual(["b"])
    expect(reduceLiveText(live, saved("a", { run_id: undefined })).files.size).toBe(2)
  })

  it.each(["run_cancelled", "run_claimed"])("ends with %s", (type) => {
    const live = foldOf(part("a", 0, "one"), event("model_reasoning", { ...coder, chars: 3 }))
    const ended = event(type, { duration_ms: 1, generation: 2, executor: "e", workspace_version: 1 })
    expect(reduceLiveText(live, ended)).toEqual(noLiveText)
  })

  it("ends with a visit that failed", () => {
    const failed = { ...coder, duration_ms: 1, update: { file_path: "a", failed: "No." } }
    expect(foldOf(part("a", 0, "one"), event("node_finished", failed)).files.size).toBe(0)
  })

  it("counts the thoughts of each visit until it says something", () => {
    const other = { ...coder, iteration: 2 }
    const live = foldOf(
      event("model_reasoning", { ...coder, chars: 3 }),
      event("model_reasoning", { ...coder, chars: 9 }),
      event("model_reasoning", { ...other, chars: 5 }),
    )
    expect(thinkingOf(live, "coder")).toBe(14)
    expect(thinkingOf(live, "planner")).toBe(0)
    expect(thinkingOf(reduceLiveText(live, part("a", 0, "x", other)), "coder")).toBe(9)
  })

  it("is what it was at an earlier moment", () => {
    const events = [part("a", 0, "on"), part("a", 2, "e"), saved("a")]
    const texts = events.map(({ seq }) => liveTextAt(events, seq).files.get("a"))
    expect(texts).toEqual(["on", "one", undefined])
  })
})
