import { describe, expect, it } from "vitest"
import { type Buffer, openBuffer } from "../../../../../packages/web/src/features/files/buffer/buffer.ts"
import { saveStatus } from "../../../../../packages/web/src/features/files/buffer/save-status.ts"

const opened = openBuffer({ text: "one", sha256: "1" }, null)
const status = (change: Partial<Buffer>, limit = 100) => saveStatus({ ...opened, ...change }, { readOnly: null, limit })

describe("the status of a file", () => {
  it("is clean until it is edited, and saved after it was", () => {
    expect(status({})).toEqual({ state: "clean", text: null })
    expect(status({ text: "two" })).toEqual({ state: "unsaved", text: "Not saved" })
    expect(status({ text: "two", saving: true }).state).toBe("saving")
    expect(status({ saved: true }).state).toBe("saved")
    expect(saveStatus(null, { readOnly: null, limit: 100 }).state).toBe("clean")
  })

  it("is undecided while somebody else's text waits for a decision", () => {
    const conflict = { ...opened, text: "two", server: "three", theirs: "three" }
    const text = "Changed in another tab"
    expect(saveStatus(conflict, { readOnly: null, limit: 100 })).toEqual({ state: "undecided", text })
    expect(saveStatus(conflict, { readOnly: null, limit: 100, writer: "the coder" }).text).toBe("Changed by the coder")
  })

  it("is read-only at an earlier moment, whatever was typed", () => {
    expect(saveStatus({ ...opened, text: "two" }, { readOnly: "Earlier.", limit: 100 })).toEqual({
      state: "read_only",
      text: "Earlier.",
    })
  })

  it("counts characters as the server does, an emoji as one", () => {
    expect(status({ text: "😀".repeat(3) }, 3).state).toBe("unsaved")
    expect(status({ text: "😀".repeat(5) }, 3)).toEqual({ state: "too_long", text: "2 characters too long" })
  })
})
