import fc from "fast-check"
import { beforeAll, describe, expect, it } from "vitest"
import { isStructural, type StudioEvent, toEvent } from "../../../../packages/web/src/session/stream/event.ts"
import { activeNode, currentFile } from "../../../../packages/web/src/session/stream/graph.ts"
import { countUpTo, createKeyframes } from "../../../../packages/web/src/session/stream/keyframes.ts"
import { emptyView, reduceView, type SessionView, writerOf } from "../../../../packages/web/src/session/stream/view.ts"
import { recordStory, repeated, type Story } from "./story.ts"

let story: Story
beforeAll(async () => {
  story = await recordStory()
})

const fold = (events: readonly StudioEvent[]): SessionView => events.reduce(reduceView, emptyView)

describe("a session's view", () => {
  it("comes out the same however often and in whatever pieces its log is told", () => {
    const { events } = story
    const whole = fold(events)
    // Each delivery starts at or before the next expected event, and has any number of events.
    const deliveries = fc.array(fc.record({ back: fc.nat(40), more: fc.nat(60) }), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(deliveries, (told) => {
        let view = emptyView
        let next = 0
        for (const { back, more } of [...told, { back: 5, more: events.length }]) {
          const from = Math.max(0, next - back)
          next = Math.max(next, Math.min(events.length, from + more))
          view = events.slice(from, from + more).reduce(reduceView, view)
        }
        expect(view).toEqual(whole)
      }),
    )
  })

  it("says of a moment what a fold from the beginning says, of its structural events alone, in whatever order moments are asked for", () => {
    const log = repeated(story.events, 2300)
    fc.assert(
      fc.property(fc.array(fc.nat(2400), { minLength: 1, maxLength: 8 }), fc.nat(2300), (asked, grown) => {
        const structural = log.slice(0, grown).filter(isStructural)
        const at = createKeyframes(structural)
        for (const [index, seq] of asked.entries()) {
          // The log grows after the first request.
          if (index === 1) structural.push(...log.slice(grown).filter(isStructural))
          const head = index === 0 ? grown : log.length
          expect(at(Math.min(seq, head))).toEqual(fold(log.slice(0, Math.min(seq, head))))
        }
      }),
      { numRuns: 40 },
    )
  })

  it("finds the moment of any number", () => {
    const log = repeated(story.events, 100).filter((event) => event.seq % 3 !== 0)
    for (let seq = 0; seq <= 102; seq++) {
      expect(countUpTo(log, seq)).toBe(log.filter((event) => event.seq <= seq).length)
    }
  })

  it("has a fork's origin, and the restores before its first request", () => {
    const from = { session_id: "ses_1", name: "Tea", version: 3 }
    const about = { ts: "2026-01-01T00:00:00.000Z" }
    const restore = { type: "workspace_committed", changes: [], restores: { version: 1 } }
    const { beginning, conversation } = fold([
      { ...about, seq: 1, type: "session_opened", copied_from: from },
      { ...about, seq: 2, version: 2, ...restore },
      {
        ...about,
        seq: 3,
        type: "run_created",
        run_id: "r",
        agent_id: "main",
        kind: "workflow",
        model: "demo",
        input: {},
      },
      { ...about, seq: 4, version: 3, ...restore },
    ] as never)
    expect(beginning).toMatchObject({ copiedFrom: from, restores: [{ version: 2, previous: 1, from: 1 }] })
    expect(conversation).toMatchObject([{ restores: [{ version: 3 }] }])
  })

  it("says of restored files that a restore wrote them, until someone else does", () => {
    const write = (seq: number, more: object): StudioEvent => {
      const changes = [{ op: "write", path: "a.js", file: { path: "a.js", sha256: String(seq), size: 1 } }]
      return {
        seq,
        ts: "2026-01-01T00:00:00.000Z",
        type: "workspace_committed",
        version: seq,
        changes,
        ...more,
      } as never
    }
    const writers = [{ run_id: "run_1" }, { restores: { version: 1 } }, {}].map((more, at) => write(at + 1, more))
    const at = (count: number) => writerOf(fold(writers.slice(0, count)), "a.js")
    expect([at(1), at(2), at(3)]).toEqual(["the coder", "a restore", null])
  })

  it("has the files that the server has", () => {
    const { manifest, version, incomplete } = fold(story.events).files
    expect(manifest.files.map(({ path }) => path).sort()).toEqual(story.files.toSorted())
    expect({ version, incomplete }).toEqual({ version: story.session.workspace_version, incomplete: false })
  })

  it("has the run, and how it ended, that the server has", () => {
    const ended = story.events.flatMap((event) =>
      /^run_(completed|failed|cancelled)$/.test(event.type) ? [at(event)] : [],
    )
    expect(ended.map(({ run }) => run?.status)).toEqual(["completed", "cancelled", "failed", "completed"])
    expect(ended.map(({ run }) => run?.error?.type)).toEqual([undefined, undefined, "unknown_error", undefined])
    expect(ended.map(({ run }) => run?.cancelRequested)).toEqual([false, true, false, false])
    const { run } = fold(story.events)
    const { last_run } = story.session
    expect(run).toMatchObject({ runId: last_run?.run_id, firstSeq: last_run?.first_seq, prompt: last_run?.prompt })
  })

  it("leaves the nodes where the run left them", () => {
    const states = story.events.flatMap((event) => {
      if (!/^run_(completed|failed|cancelled)$/.test(event.type)) return []
      const { planner, architect, coder } = at(event).graph.nodes
      return [[planner, architect, coder].map(({ state }) => state)]
    })
    expect(states).toEqual([
      ["completed", "completed", "completed"],
      ["completed", "completed", "idle"],
      ["completed", "completed", "error"],
      ["completed", "completed", "completed"],
    ])
  })

  it("counts the coder's files from one, and never beyond the last", () => {
    const said = story.events.flatMap((event) => {
      const file = currentFile(at(event).graph)
      return file ? [`${at(event).run?.runId} ${file.number}/${file.total} ${file.path}`] : []
    })
    const runs = [...new Set(story.events.flatMap((event) => at(event).run?.runId ?? []))]
    const [first, stopped, failed, last] = runs
    expect([...new Set(said)]).toEqual([
      `${first} 1/2 a.ts`,
      `${first} 2/2 b.ts`,
      `${stopped} 1/2 a.ts`,
      `${stopped} 2/2 b.ts`,
      `${failed} 1/2 a.ts`,
      `${last} 1/2 a.ts`,
      `${last} 2/2 b.ts`,
    ])
  })

  it("has one node at work, or none", () => {
    for (const event of story.events) {
      const { graph } = at(event)
      const active = Object.values(graph.nodes).filter(({ state }) => state === "active")
      expect(active.length).toBe(activeNode(graph) ? 1 : 0)
    }
  })

  it("marks what the newest run touched, and not what it left alone", () => {
    const [first] = story.events.filter(({ type }) => type === "run_completed")
    if (!first) throw new Error("No run ended.")
    expect([...at(first).files.touched]).toEqual([
      ["a.ts", "new"],
      ["b.ts", "new"],
    ])
    const [stopped] = story.events.filter(({ type }) => type === "run_cancelled")
    if (!stopped) throw new Error("No run was stopped.")
    expect([...at(stopped).files.touched]).toEqual([["a.ts", "changed"]])
    const commit = story.events.find(({ type }) => type === "workspace_committed")
    const byHand = { ...commit, run_id: undefined } as StudioEvent
    expect(reduceView(emptyView, byHand).files.touched).toEqual(new Map())
    expect(reduceView(emptyView, byHand).files.manifest.files).not.toEqual([])
  })

  it("counts an event of a type that it doesn't know, and changes nothing by it", () => {
    const before = fold(story.events)
    const later = toEvent({ ...(story.sent.at(-1) as object), type: "moon_landed", seq: before.seq + 1, crew: 3 })
    expect(later).toMatchObject({ type: "unknown", name: "moon_landed" })
    expect(reduceView(before, later)).toEqual({ ...before, seq: before.seq + 1 })
  })

  it("begins anew when the session is opened again", () => {
    const opened = { ...story.events[0], seq: 1000 } as StudioEvent
    expect(opened.type).toBe("session_opened")
    expect(reduceView(fold(story.events), opened)).toEqual({ ...emptyView, seq: 1000 })
  })
})

function at({ seq }: StudioEvent): SessionView {
  return fold(story.events.filter((event) => event.seq <= seq))
}
