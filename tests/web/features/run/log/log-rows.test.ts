import { describe, expect, it } from "vitest"
import { isSummary, rowOf } from "../../../../../packages/web/src/features/run/log/log-rows.ts"
import { toEvent } from "../../../../../packages/web/src/session/stream/event.ts"

describe("the row of a run's end", () => {
  const ended = {
    seq: 9,
    event_id: "evt_9",
    ts: "2026-01-02T03:04:05.000Z",
    run_id: "run_1",
    type: "run_completed",
    duration_ms: 5000,
  }
  const row = (warning?: string) => rowOf(toEvent({ ...ended, workspace_version: 1, ...(warning && { warning }) }))

  it("says so where somebody should look at what it did", () => {
    expect(row()).toMatchObject({ text: "Run complete", severity: "success" })
    expect(row("Look at it.")).toMatchObject({
      text: "Run complete, with a warning",
      severity: "warn",
      hint: "Look at it.",
    })
  })
})

describe("the row of what people and agents say", () => {
  const read = (type: string, fields: object) =>
    toEvent({ seq: 1, event_id: "evt_1", ts: "2026-01-02T03:04:05.000Z", type, ...fields })
  const said = (content: string) => read("assistant_message", { blocks: [{ kind: "text", content }] })
  const closing = '```json\n{\n  "change_summary": "Adds {braces}",\n  "files_changed": ["a"]\n}\n```\n'

  it("has a request, cut where it is long", () => {
    const asked = (user_prompt: string) =>
      rowOf(read("run_created", { run_id: "run_1", kind: "workflow", model: "m", input: { user_prompt } })).hint
    expect(asked("A list.")).toBe("A list.")
    expect(asked("long ".repeat(100))).toMatch(/^(long ){47}long …$/)
  })

  it("marks a line that somebody typed, and leaves the product's own instructions to the details", () => {
    const typed = read("user_message", { content: "Go on.", source: "terminal" })
    const own = read("user_message", { content: "Your turn ended before …", source: "continuation" })
    expect([rowOf(typed).text, isSummary(typed)]).toEqual(["❯ Go on.", true])
    expect([rowOf(own).text, isSummary(own)]).toEqual(["Your turn ended before …", false])
  })

  it("leaves the object at the end of an agent's message to the details", () => {
    const last = said(`Done, with **care**.\n\n${closing}`)
    expect(rowOf(last).text).toBe("Done, with **care**.")
    expect(rowOf(last, { details: true }).text).toContain("change_summary")
    expect(isSummary(said(closing))).toBe(false)
    expect(isSummary(said('{"change_summary": "Bare."}'))).toBe(false)
  })

  it.each(['It reads "change_summary" of the answer.', `${closing}And one more thing.`])(
    "keeps what is no such end: %s",
    (text) => {
      expect(rowOf(said(text)).text).toBe(text)
    },
  )
})

describe("the row of a model call", () => {
  const retried = (where: object) =>
    rowOf(
      toEvent({
        ...{ seq: 1, event_id: "evt_1", ts: "2026-01-02T03:04:05.000Z", run_id: "run_1", type: "model_retried" },
        ...{ error_type: "rate_limit", attempt: 2, wait_ms: 500, ...where },
      }),
    )

  it("names the node that made it, or else the agent", () => {
    expect(retried({ node: "coder", iteration: 1, namespace: [] }).who).toBe("coder")
    expect(retried({}).who).toBe("agent")
  })
})

describe("the row of what happens to a worktree", () => {
  const read = (type: string, fields: object) =>
    toEvent({ seq: 1, event_id: "evt_1", ts: "2026-01-02T03:04:05.000Z", type, ...fields })
  const finished = (answer: object | null, error: object | null = null) =>
    read("worktree_command_finished", { command_id: "c", answer, error })
  const merged = {
    success: true,
    status: "merged",
    message: "Merged into main.",
    target_branch: "main",
    commit: "c0ffee",
  }

  it.each([
    [read("worktree_command_expired", { command_id: "c" }), "no runner was ready in time", "warn", true],
    [
      read("worktree_restored", { damage: "git_replaced", from: "branch", set_aside: "/aside" }),
      "repaired: its .git had been replaced by that of another repository",
      "warn",
      true,
    ],
    [read("deletions_held", { count: 3, paths: ["a", "b", "c"], file_count: 4 }), "3 of 4 files", "warn", false],
    [read("deletions_settled", { confirmed: true }), "were removed from the session", "info", true],
    [read("deletions_settled", { confirmed: false }), "keeps the files", "info", true],
    [read("workspace_save_progressed", { saved: 500, total: 20_000 }), "500 of 20,000", "debug", false],
    [read("workspace_save_progressed", { saved: 0, total: 0 }), "Files saved", "debug", false],
    [finished(merged), "Merged into main.", "info", true],
    [finished({ remote: "origin", branch: "main", commit: "c0ffee" }), "Pushed main to origin.", "info", true],
    [
      finished(null, { code: "commit_refused", message: "The hook said no.", details: {} }),
      "hook said no",
      "warn",
      true,
    ],
    [finished({ files: [], status: 7 }), "Worktree query answered", "debug", false],
    [read("project_saved", { save: {} }), "Work backed up", "debug", false],
  ])("is in plain words: %#", (event, text, severity, isNews) => {
    expect(rowOf(event)).toMatchObject({ text: expect.stringContaining(text), severity })
    expect(isSummary(event)).toBe(isNews)
  })

  it("says what the files of a repaired worktree are, and where the other repository went", () => {
    const { hint } = rowOf(read("worktree_restored", { damage: "git_replaced", from: "branch", set_aside: "/aside" }))
    expect(hint).toBe("Files restored from the last commit. The repository created in its place was moved to /aside.")
  })

  it("says what failed after a command that was carried out", () => {
    const late = { code: "git_error", message: "The worktree could not be deleted.", details: {} }
    expect(rowOf(finished(merged, late))).toMatchObject({ text: merged.message, hint: late.message, severity: "warn" })
  })
})
