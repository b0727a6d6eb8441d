import { SessionEvent } from "@switchyard/core/events"
import { headlineOf } from "@switchyard/core/work/headlines/headlines"
import { beginStream, projectEvent } from "@switchyard/core/work/workflow/stream/projection"
import { render } from "switchyard/output/render"
import { describe, expect, it } from "vitest"
import { isSummary, rowOf } from "../../../../packages/web/src/features/run/log/log-rows.ts"
import { toEvent } from "../../../../packages/web/src/session/stream/event.ts"

const header = { event_id: "evt_1", seq: 1, ts: "2026-01-02T03:04:05.000Z", session_id: "s" }
const inRun = { run_id: "run_1", agent_id: "main" }
const ref = { sha256: "x", size_bytes: 40_000, key: "k" }

const events = [
  { ...inRun, type: "run_claimed", generation: 2, executor: "e" },
  { ...inRun, type: "run_relaunched", attempt: 2, reason: "no sign of life" },
  { ...inRun, type: "run_parked", generation: 1, reason: "the limit" },
  { ...inRun, type: "run_cancel_requested", reason: "asked for" },
  { ...inRun, type: "workspace_committed", version: 3, manifest: "m", changes: [{ op: "write", path: "a.ts" }] },
  { ...inRun, type: "workspace_committed", version: 3, manifest: "m", changes: ref },
  { ...inRun, type: "workspace_committed", version: 3, manifest: "m", changes: [], step: "coder:0:a.ts" },
  { ...inRun, type: "model_retried", error_type: "rate_limit", attempt: 2, wait_ms: 500 },
  { ...inRun, type: "tool_call_started", tool_call_id: "t", tool: "write", path: "a.ts", file_bytes: 12 },
  { ...inRun, type: "agent_turn_finished", outcome: { type: "completed" }, exit_code: 0, duration_ms: 5 },
  { ...inRun, type: "files_reviewed", file_count: 2, finding_count: 0, findings: [] },
  { ...inRun, type: "progress", summary: "Half of it." },
  { ...inRun, type: "milestone", milestone_type: "step", title: "Done", summary: "All of it.", details: {} },
]

describe("a headline", () => {
  it.each(events)("is the same in the stream, the studio and the command line: $type", (event) => {
    const parsed = SessionEvent.parse(event)
    const { who, text, meta } = headlineOf(parsed)
    expect(text).not.toBe("")
    expect(rowOf(toEvent({ ...header, ...event }))).toMatchObject({ who, text, meta })
    expect(render(parsed)).toMatchObject({ who, text: [text, meta.join(" · ")].filter(Boolean).join("  ") })
    const { frames } = projectEvent(beginStream("run_1", "s"), { ...header, ...parsed } as never)
    expect(frames.map(({ data }) => data.message)).toEqual([text])
  })

  it("leaves out that a team's coordinator rests while others are at work, and says when it waits for somebody", () => {
    const ofTeam = { run_id: "run_1", agent_id: "coordinator" }
    const parked = { ...ofTeam, type: "run_parked", generation: 1, reason: "its workers are at work" }
    const atWork = { ...parked, waits_for: { message: true, any_run: true, run: "run_2" } }
    const shown = (event: object) => [
      render(SessionEvent.parse(event)) !== undefined,
      isSummary(toEvent({ ...header, ...event })),
    ]
    for (const event of [atWork, { ...ofTeam, type: "run_resumed" }]) expect(shown(event)).toEqual([false, false])
    for (const event of [{ ...parked, waits_for: { message: true } }, parked, { ...atWork, agent_id: "main" }])
      expect(shown(event)).toEqual([true, true])
    expect(headlineOf(SessionEvent.parse(parked)).severity).toBe("warn")
    const idle = { ...parked, waits_for: { message: true } }
    expect(headlineOf(SessionEvent.parse(idle)).severity).toBe("info")
    const claimed = (generation: number) => ({ ...ofTeam, type: "run_claimed", generation, executor: "e" })
    expect([1, 2].map((generation) => render(SessionEvent.parse(claimed(generation))) !== undefined)).toEqual([
      true,
      false,
    ])
  })

  it("says what a review found missing, or why there is none", () => {
    const review = { ...inRun, type: "files_reviewed", file_count: 2, finding_count: 0, findings: [] }
    const found = { ...review, finding_count: 1, findings: [{ path: "a.ts", message: "No." }] }
    expect(headlineOf(SessionEvent.parse(found))).toMatchObject({
      ...{ text: "Compared 2 files with the request: 1 thing missing", hint: "a.ts: No.", severity: "warn" },
    })
    const refused = SessionEvent.parse({ ...review, not_reviewed: "Refused." })
    expect(headlineOf(refused)).toMatchObject({ text: "Files not reviewed", hint: "Refused." })
  })

  it("tells files that the repository has, and nobody deleted, from those that a person did", () => {
    const shown = (changes: object[]) => {
      const { who, text } = headlineOf(
        SessionEvent.parse({ type: "workspace_committed", version: 2, manifest: "m", changes }),
      )
      return `${who}: ${text}`
    }
    const merged = ["a.txt", "b.txt"].map((path) => ({ op: "delete", path, in_repository: true }))
    const deleted = { op: "delete", path: "c.txt" }
    expect(shown(merged)).toBe("system: Synced from the repository: a.txt, b.txt")
    expect(shown([...merged.slice(1), deleted])).toBe("you: b.txt synced from the repository, c.txt deleted")
    expect(shown([deleted])).toBe("you: c.txt deleted")
  })

  it("says of a file that it was left as it is, and why", () => {
    const visit = { node: "coder", iteration: 1, namespace: [], step: 3, task_id: "t", duration_ms: 1 }
    const update = { file_path: "a.ts", current_step_idx: 1, total_steps: 2, left_as_is: "It is green." }
    const event = SessionEvent.parse({ ...inRun, ...visit, type: "node_finished", update })
    expect(headlineOf(event).text).toBe("File 1 of 2: a.ts left as it is: It is green.")
  })
})
