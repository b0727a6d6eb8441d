import type { LogEvent } from "@switchyard/core/events"
import fc from "fast-check"
import { beforeAll, describe, expect, expectTypeOf, it } from "vitest"
import { type StudioEvent, toEvent } from "../../../../packages/web/src/session/stream/event.ts"
import type { ReadEvents } from "../../../../packages/web/src/session/stream/read-events.ts"
import { recordStory } from "./story.ts"

type Told = Extract<LogEvent, { type: StudioEvent["type"] }>

let sent: Told[]
beforeAll(async () => {
  sent = (await recordStory()).sent as Told[]
})

describe("an event, as the studio reads it", () => {
  it("is what the server sent, as far as anything is read of it", () => {
    for (const event of sent) {
      const promised: StudioEvent = event
      expect(promised).toMatchObject(toEvent(event))
    }
  })

  it("counts and shows by its name where a field isn't what it should be", () => {
    const wrong = fc.constantFrom<unknown>([], { of: "another kind" }, null)
    fc.assert(
      fc.property(fc.nat(), fc.nat(), wrong, (which, field, value) => {
        const event = sent[which % sent.length] as Told
        const { event_id, seq, ts, run_id, agent_id, type, ...read } = toEvent(event)
        const names = Object.keys(read)
        if (names.length === 0) return
        const name = names[field % names.length] as string
        const told = toEvent({ ...event, [name]: value })
        // An empty list is read as a list, and the fields of an update are optional.
        if (Array.isArray(value) && Array.isArray((read as Record<string, unknown>)[name])) return
        // A tool may run without a process, so its exit code may be null.
        if (name === "exit_code" && value === null) return
        if (name === "update" && JSON.stringify(value)?.startsWith("{")) return
        expect(told).toEqual({ event_id, seq, ts, run_id, agent_id, type: "unknown", name: event.type })
      }),
    )
  })

  it("compiles only while core's events have every field that is read, optional ones and those within others too", () => {
    expectTypeOf<ReadEvents<{ run_completed: { warning?: string } }>>().not.toBeNever()
    // @ts-expect-error Core has no such field.
    expectTypeOf<ReadEvents<{ run_completed: { caution?: string } }>>().not.toBeNever()
    // @ts-expect-error Core has no such field within.
    expectTypeOf<ReadEvents<{ agent_turn_finished: { outcome: { words?: string } } }>>().not.toBeNever()
    // @ts-expect-error Core has it of another type.
    expectTypeOf<ReadEvents<{ run_completed: { duration_ms: string } }>>().not.toBeNever()
    // @ts-expect-error Core has no such event.
    expectTypeOf<ReadEvents<{ run_finished: { duration_ms: number } }>>().not.toBeNever()
  })

  it("is none without its place in the log", () => {
    for (const name of ["event_id", "seq", "ts", "type"]) {
      expect(() => toEvent({ ...sent[0], [name]: undefined })).toThrow(TypeError)
    }
    for (const nothing of [null, [], "event", 1]) expect(() => toEvent(nothing)).toThrow(TypeError)
  })
})
