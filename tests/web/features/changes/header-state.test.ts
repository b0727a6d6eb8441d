import type { DiffSummary } from "@switchyard/core/files/worktrees/diff-schema"
import type { WorktreeStatus } from "@switchyard/core/files/worktrees/schema"
import { describe, expect, it } from "vitest"
import { headerState } from "../../../../packages/web/src/features/changes/header-state.ts"

const now = { readOnly: false, updating: false }
const state = (status: Partial<WorktreeStatus>, when = now) =>
  headerState({ merge: null, behind: 2, has_changes: true, ...status } as WorktreeStatus, undefined, when)
const files = (diff: object) => headerState({} as WorktreeStatus, diff as DiffSummary, now).files

describe("the actions on changes", () => {
  it("are all there where there are changes and the target has moved on", () => {
    expect(state({}).can).toEqual({ push: true, reset: true, delete: true, update: true, merge: true })
    expect(state({}).behind).toBe(2)
  })

  it("have nothing to merge or reset without changes, nor to update from a target that hasn't moved", () => {
    expect(state({ has_changes: false }).can).toMatchObject({ merge: false, reset: false, push: true })
    expect(state({ behind: 0 })).toMatchObject({ behind: null, can: { update: false } })
    expect(state({ behind: null })).toMatchObject({ behind: null, can: { update: false } })
  })

  it("neither merge nor update while a merge waits, or update twice", () => {
    const merge = { direction: "merge" } as WorktreeStatus["merge"]
    expect(state({ merge }).can).toEqual({ push: true, reset: true, delete: true, update: false, merge: false })
    expect(state({}, { ...now, updating: true }).can).toMatchObject({ update: false, merge: true })
  })

  it("neither merge, update nor push what an agent left unresolved", () => {
    const unresolved = { operation: "merge" as const, files: ["a.txt"] }
    expect(state({ unresolved }).can).toEqual({ push: false, reset: true, delete: true, update: false, merge: false })
  })

  it("can't be taken at an earlier moment", () => {
    expect(new Set(Object.values(state({}, { ...now, readOnly: true }).can))).toEqual(new Set([false]))
  })
})

describe("the number of changed files", () => {
  it("is exact only where the server knows them all", () => {
    expect(files({ files: [{}], files_changed: 1, complete: true })).toBe("1 file")
    expect(files({ files: [{}, {}], files_changed: 2, complete: true })).toBe("2 files")
    expect(files({ files: [{}], files_changed: 500, complete: false })).toBe("at least 500 files")
    expect(files({ files: [], files_changed: 0, complete: true })).toBeNull()
  })
})
