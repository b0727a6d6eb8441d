import { describe, expect, it } from "vitest"
import {
  type Buffer,
  type BufferNews,
  isDirty,
  openBuffer,
  reduceBuffer,
} from "../../../../packages/web/src/features/files/buffer.ts"

function having(buffer: Buffer, ...news: BufferNews[]): Buffer {
  return news.reduce(reduceBuffer, buffer)
}

const opened = openBuffer("one", null)

describe("a file that nobody has edited", () => {
  it("shows whatever comes", () => {
    const buffer = having(opened, { type: "arrived", text: "two" })
    expect(buffer).toMatchObject({ text: "two", server: "two", theirs: null })
  })

  it("is empty once it is removed, and shows what is written there again", () => {
    const removed = having(opened, { type: "removed" })
    expect(isDirty(removed)).toBe(false)
    expect(having(removed, { type: "arrived", text: "new" })).toMatchObject({ text: "new", theirs: null })
  })
})

describe("a file that is being edited", () => {
  const edited = having(opened, { type: "edited", text: "mine" })

  it("keeps its text, and asks, when somebody else's comes", () => {
    const buffer = having(edited, { type: "arrived", text: "theirs" })
    expect(buffer).toMatchObject({ text: "mine", server: "theirs", theirs: "theirs" })
  })

  it("asks nothing when what comes is what was typed", () => {
    const buffer = having(edited, { type: "arrived", text: "mine" })
    expect(buffer.theirs).toBeNull()
    expect(isDirty(buffer)).toBe(false)
  })

  it("still has to be saved after its own text was kept", () => {
    const buffer = having(edited, { type: "arrived", text: "theirs" }, { type: "kept_mine" })
    expect(buffer).toMatchObject({ text: "mine", theirs: null })
    expect(isDirty(buffer)).toBe(true)
  })

  it("is as the server has it after the other text was taken", () => {
    const buffer = having(edited, { type: "arrived", text: "theirs" }, { type: "took_theirs" })
    expect(buffer).toMatchObject({ text: "theirs", theirs: null })
    expect(isDirty(buffer)).toBe(false)
  })

  it("keeps its text when the file is removed", () => {
    const buffer = having(edited, { type: "removed" })
    expect(buffer).toMatchObject({ text: "mine", server: null })
    expect(isDirty(buffer)).toBe(true)
  })
})

describe("a file that is saved", () => {
  const sent = having(opened, { type: "edited", text: "two" }, { type: "sent", text: "two" })

  it("takes its own text for nobody else's, before the answer and after it", () => {
    const early = having(sent, { type: "arrived", text: "two" }, { type: "stored", text: "two" })
    const late = having(sent, { type: "stored", text: "two" }, { type: "arrived", text: "two" })
    for (const buffer of [early, late]) {
      expect(buffer).toMatchObject({ text: "two", server: "two", theirs: null, saved: true, sent: [] })
      expect(isDirty(buffer)).toBe(false)
    }
  })

  it("goes on being edited while its own text comes back", () => {
    const buffer = having(sent, { type: "edited", text: "three" }, { type: "arrived", text: "two" })
    expect(buffer).toMatchObject({ text: "three", server: "two", theirs: null })
  })

  it("isn't put back when an earlier text comes after a later one was stored", () => {
    const ahead = having(
      sent,
      { type: "stored", text: "two" },
      { type: "edited", text: "three" },
      { type: "sent", text: "three" },
      { type: "stored", text: "three" },
      { type: "arrived", text: "two" },
    )
    expect(ahead).toMatchObject({ text: "three", server: "three", theirs: null })
    expect(having(ahead, { type: "arrived", text: "three" })).toMatchObject({ text: "three", sent: [] })
  })

  it("says why it wasn't, and is still unsaved", () => {
    const buffer = having(sent, { type: "refused", text: "two", reason: "No." })
    expect(buffer).toMatchObject({ failure: "No.", saving: false, sent: [] })
    expect(isDirty(buffer)).toBe(true)
  })

  it("is no longer told to be saved once it is edited again", () => {
    const buffer = having(sent, { type: "stored", text: "two" }, { type: "edited", text: "three" })
    expect(buffer.saved).toBe(false)
  })
})

describe("a text that was left unsaved", () => {
  it("is there again, over the file that it was made from", () => {
    expect(openBuffer("one", { text: "draft", overSame: true })).toMatchObject({ text: "draft", theirs: null })
  })

  it("asks when the file has changed since", () => {
    expect(openBuffer("two", { text: "draft", overSame: false })).toMatchObject({ text: "draft", theirs: "two" })
  })

  it("is there, and asks nothing, before the file has come to the path that it was moved to", () => {
    const waiting = openBuffer(null, { text: "draft", overSame: false })
    const buffer = having(waiting, { type: "arrived", text: "one", expected: true })
    expect(buffer).toMatchObject({ text: "draft", server: "one", theirs: null })
  })
})
