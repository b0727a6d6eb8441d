import { AppError } from "@switchyard/core/errors"
import {
  answerToFailed,
  answerToInterrupted,
  failed,
  incomplete,
  isRefusal,
  succeeded,
} from "@switchyard/runner/project/commands/command-answers"
import { describe, expect, it } from "vitest"

const full = new AppError("storage_unavailable", "The disk is full.")
const merge = { command: "merge", strategy: "squash", delete_worktree: true } as const
const resolve = { command: "resolve", resolution: { file_path: "f", use: "theirs", complete: true } } as const
const merged = succeeded({ status: "merged" })

describe("the answer to a command", () => {
  it("is a refusal only where nothing can have been done", () => {
    expect(isRefusal(new AppError("worktree_conflict", "No."))).toBe(true)
    expect([full, new AppError("git_error", "?"), new Error("?")].map(isRefusal)).toEqual([false, false, false])
  })

  it("is the one that it has earned, whatever failed after that", () => {
    expect(answerToFailed(merge, full, { end: merged })).toEqual(merged)
    expect(answerToInterrupted({ end: merged })).toEqual(merged)
    expect(incomplete(merged, full)).toMatchObject({
      answer: { status: "merged" },
      error: { code: "storage_unavailable", message: expect.stringContaining("The disk is full.") },
    })
  })

  it("says that the merge is lacking where only the conflicts were resolved", () => {
    const waiting = succeeded({ status: "conflicts" })
    expect(answerToFailed(resolve, full, { end: waiting }).error).toMatchObject({ code: "storage_unavailable" })
    expect(answerToFailed(merge, full, { end: waiting }).error).toBeNull()
  })

  it("is the failure where nothing came of it, and says if that can't be known", () => {
    expect(answerToFailed(merge, full, {})).toEqual(failed(full))
    const unknown = answerToFailed(merge, full, { trouble: new Error("unreadable") })
    expect(unknown.error?.message).toMatch(/^The disk is full\. The command may have taken effect anyway/)
    expect(answerToInterrupted({}).answer).toBeNull()
    expect(answerToInterrupted({ trouble: full }).error?.details).toEqual({ reason: "The disk is full." })
  })

  it("shows nothing of an error that isn't meant for people", () => {
    expect(failed(new Error("secret")).error).toEqual({
      code: "git_error",
      message: "The worktree couldn't be changed.",
      details: {},
    })
  })
})
