import { AppError } from "@switchyard/core/errors"
import type { NewEvent } from "@switchyard/core/events"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import type { Clock } from "@switchyard/core/time"
import { createRunWriter } from "@switchyard/core/work/runs/run-writer"
import { describe, expect, it } from "vitest"

const first = { node: "coder" as const, iteration: 1, namespace: [] }
const second = { ...first, iteration: 2 }

/** Creates a writer with a manual clock, and records its batches with their times. */
function place() {
  const batches: { at: number; events: NewEvent[] }[] = []
  const sleepers: { until: number; wake(): void }[] = []
  let now = 0
  const clock = {
    monotonic: () => now,
    sleep: (ms: number) => new Promise<void>((wake) => sleepers.push({ until: now + ms, wake })),
  } as unknown as Clock
  const claimed = {
    runs: { byId: { run_1: { status: "running", generation: 1, cancelReason: null, agentId: "main" } } },
  }
  const session = {
    async decide(rule: (state: never) => NewEvent[] | AppError) {
      const verdict = rule(claimed as never)
      if (verdict instanceof AppError) throw verdict
      batches.push({ at: now, events: verdict })
      return []
    },
  } as unknown as SessionLog
  const onFailure = (error: unknown) => {
    throw error
  }
  const { signal } = new AbortController()
  const writer = createRunWriter({ session, clock, runId: "run_1", generation: 1, signal, onFailure })
  return {
    writer,
    batches,
    events: () => batches.flatMap((batch) => batch.events),
    async pass(ms: number) {
      for (const end = now + ms; now < end; ) {
        now = Math.min(end, ...sleepers.map(({ until }) => until).filter((until) => until > now))
        for (const sleeper of sleepers.splice(0)) sleeper.until <= now ? sleeper.wake() : sleepers.push(sleeper)
        await new Promise(setImmediate)
      }
    },
  }
}

describe("the writer of a run", () => {
  it("appends the beginning of a file at once, and what follows in few events", async () => {
    const { writer, batches, events, pass } = place()
    const content = "0123456789".repeat(1000)
    // Simulates a model of 60 tokens per second.
    for (let offset = 0; offset < content.length; offset += 4) {
      writer.emitFileText(first, { path: "a.ts", offset, text: content.slice(offset, offset + 4) })
      await pass(16)
    }
    await writer.write([])
    expect(batches[0]?.at).toBeLessThan(100)
    expect(events().length).toBeLessThan(40)
    expect(textOf(events(), "a.ts")).toBe(content)
  })

  it("shows a slow model's file every two seconds", async () => {
    const { writer, batches, pass } = place()
    for (let offset = 0; offset < 100; offset++) {
      writer.emitFileText(first, { path: "a.ts", offset, text: "x" })
      await pass(100)
    }
    const gaps = batches.map(({ at }, index) => at - (batches[index - 1]?.at ?? 0))
    expect(Math.max(...gaps)).toBeLessThanOrEqual(2100)
    expect(batches.length).toBeLessThan(8)
  })

  it("joins the parts of files that are written side by side", async () => {
    const { writer, events, pass } = place()
    for (let offset = 0; offset < 10; offset++) {
      writer.emitFileText(first, { path: "a.ts", offset, text: "a" })
      writer.emitFileText(second, { path: "b.ts", offset, text: "b" })
    }
    await pass(50)
    expect(events()).toMatchObject([
      { type: "file_text", ...first, path: "a.ts", offset: 0, text: "aaaaaaaaaa", run_id: "run_1" },
      { type: "file_text", ...second, path: "b.ts", offset: 0, text: "bbbbbbbbbb" },
    ])
  })

  it("keeps a text that begins anew apart, and the order of a speaker", async () => {
    const { writer, events } = place()
    writer.emitText(first, "Writing.")
    writer.emitFileText(first, { path: "a.ts", offset: 0, text: "one" })
    writer.emitFileText(first, { path: "a.ts", offset: 0, text: "two" })
    writer.emitText(first, "Done.")
    await writer.write([{ type: "milestone", title: "t", summary: "s" } as NewEvent])
    expect(events().map((event) => ("text" in event ? event.text : event.type))).toEqual([
      ...["Writing.", "one", "two", "Done.", "milestone"],
    ])
  })

  it("joins the parts of an edit, keeps edits apart, and says where one only removes", async () => {
    const { writer, events } = place()
    const edit = { base: "b", edit: 0, at: 3, removed: 1 }
    const next = { ...edit, edit: 1 }
    writer.emitFileText(first, { path: "a.ts", offset: 0, text: "o", edit })
    writer.emitFileText(first, { path: "a.ts", offset: 1, text: "ne", edit })
    writer.emitFileText(first, { path: "a.ts", offset: 0, text: "", edit: next })
    writer.emitFileText(first, { path: "a.ts", offset: 0, text: "two", edit: { ...next, edit: 2 } })
    await writer.write([])
    expect(events()).toMatchObject([
      { type: "file_edit_text", path: "a.ts", ...edit, offset: 0, text: "one" },
      { type: "file_edit_text", path: "a.ts", ...next, offset: 0, text: "" },
      { type: "file_edit_text", path: "a.ts", ...next, edit: 2, offset: 0, text: "two" },
    ])
  })

  it("splits a part that is too long for one event, not within a character", async () => {
    const { writer, events } = place()
    const text = `${"x".repeat(4999)}🌍${"y".repeat(6000)}`
    writer.emitFileText(first, { path: "a.ts", offset: 0, text })
    await writer.write([])
    expect(textOf(events(), "a.ts")).toBe(text)
    for (const event of events()) if (event.type === "file_text") expect(event.text.length).toBeLessThanOrEqual(5000)
    expect(events()[0]).toMatchObject({ text: "x".repeat(4999) })
  })

  it("appends text within 250 ms, with the lengths of its pieces, also when a file's text waits longer", async () => {
    const { writer, batches, events, pass } = place()
    writer.emitFileText(second, { path: "b.ts", offset: 7, text: "b" })
    await pass(100)
    writer.emitText(first, "Hel")
    writer.emitText(first, "lo")
    writer.emitReasoning(second, 5)
    writer.emitReasoning(second, 9)
    await pass(250)
    expect(batches.map(({ at }) => at)).toEqual([350])
    expect(events()).toMatchObject([
      { type: "file_text", text: "b" },
      { type: "model_text", text: "Hello", lengths: [3, 2] },
      { type: "model_reasoning", ...second, chars: 9 },
    ])
  })
})

/** Assembles a file's text as a reader does. */
function textOf(events: NewEvent[], path: string): string {
  let text = ""
  for (const event of events) {
    if (event.type !== "file_text" || event.path !== path) continue
    expect(event.offset).toBe(text.length)
    text += event.text
  }
  return text
}
