import { describe, expect, it } from "vitest"
import { toEvent } from "../../../../packages/web/src/session/stream/event.ts"
import {
  growsAt,
  type LiveText,
  liveTextAt,
  noLiveText,
  reduceLiveText,
  textOf,
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
const shown = (live: LiveText, path: string, text: string | null = null, sha256 = "base") => {
  const file = live.files.get(path)
  return file && textOf(file, { sha256, text })
}
/** Returns a part of an edit of the file `a`, whose content is `one two`. */
const edit = (number: number, [at, removed]: [number, number], offset: number, text: string, base = "base") =>
  event("file_edit_text", { ...coder, path: "a", base, edit: number, at, removed, offset, text })
const called = (fields: object) =>
  event("tool_call_started", { ...coder, tool_call_id: "tc_1", tool: "edit", path: "a", ...fields })
const foldOf = (...events: ReturnType<typeof event>[]) => events.reduce(reduceLiveText, noLiveText)

describe("live text", () => {
  it("grows by parts, each file for itself, and begins anew at 0", () => {
    const live = foldOf(part("a", 0, "on"), part("b", 0, "two"), part("a", 2, "e"))
    expect([shown(live, "a"), shown(live, "b")]).toEqual(["one", "two"])
    expect(shown(reduceLiveText(live, part("a", 0, "x")), "a")).toBe("x")
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
    const texts = events.map(({ seq }) => shown(liveTextAt(events, seq), "a"))
    expect(texts).toEqual(["on", "one", undefined])
  })
})

describe("the live text of edits", () => {
  const shownOver = (live: LiveText) => shown(live, "a", "one two")

  it("puts each where it goes, over the result of those before it", () => {
    const live = foldOf(edit(0, [0, 3], 0, "thir"), edit(0, [0, 3], 4, "teen"), edit(1, [8, 4], 0, ""))
    expect(shownOver(live)).toBe("thirteen")
    const file = live.files.get("a")
    expect(file && growsAt(file)).toBe(8)
  })

  it("is nothing over another text than the one that is edited", () => {
    const live = foldOf(edit(0, [0, 3], 0, "ten"))
    expect([shown(live, "a", "one two", "other"), shown(live, "a", null)]).toEqual([undefined, undefined])
  })

  it("is nothing where the beginning isn't known", () => {
    expect(foldOf(edit(1, [0, 3], 0, "x")).files.size).toBe(0)
    expect(foldOf(edit(0, [0, 3], 0, "x"), edit(2, [0, 3], 0, "x")).files.size).toBe(0)
    expect(foldOf(edit(0, [0, 3], 0, "x"), edit(0, [0, 3], 5, "x")).files.size).toBe(0)
  })

  it("goes with a call that was refused, and stays with one that was saved", () => {
    const refused = foldOf(edit(0, [0, 3], 0, "ten"), called({}))
    expect(refused.files.size).toBe(0)
    const saved = foldOf(edit(0, [0, 3], 0, "ten"), called({ sha256: "saved" }))
    const next = edit(0, [4, 3], 0, "six", "saved")
    expect([shownOver(saved), shownOver([next].reduce(reduceLiveText, saved))]).toEqual(["ten two", "ten six"])
    // If a second call is refused or starts over, only the earlier call's edits remain.
    expect(shownOver([next, called({})].reduce(reduceLiveText, saved))).toBe("ten two")
    expect(shownOver([next, edit(0, [4, 3], 0, "2")].reduce(reduceLiveText, saved))).toBe("one 2")
  })

  it("goes on from a file that was written as a whole", () => {
    const live = foldOf(part("a", 0, "one two"), called({ tool: "write", sha256: "s" }), edit(0, [0, 3], 0, "ten", "s"))
    expect(shown(live, "a")).toBe("ten two")
  })
})
