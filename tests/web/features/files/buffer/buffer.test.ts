import { describe, expect, it } from "vitest"
import {
  type Buffer,
  type BufferAction,
  isDirty,
  openBuffer,
  reduceBuffer,
} from "../../../../../packages/web/src/features/files/buffer/buffer.ts"

function having(buffer: Buffer, ...actions: BufferAction[]): Buffer {
  return actions.reduce(reduceBuffer, buffer)
}

/** Returns a text with the hash that a server would report. */
const as = (text: string) => ({ text, sha256: `sha of ${text}` })
const opened = openBuffer(as("one"), null)

describe("a file that nobody has edited", () => {
  it("shows whatever comes", () => {
    const buffer = having(opened, { type: "arrived", ...as("two") })
    expect(buffer).toMatchObject({ text: "two", server: "two", theirs: null })
  })

  it("is empty once it is removed, and shows what is written there again", () => {
    const removed = having(opened, { type: "removed" })
    expect(isDirty(removed)).toBe(false)
    expect(having(removed, { type: "arrived", ...as("new") })).toMatchObject({ text: "new", theirs: null })
  })
})

describe("a file that is being edited", () => {
  const edited = having(opened, { type: "edited", text: "mine" })

  it("keeps its text, and asks, when somebody else's comes", () => {
    const buffer = having(edited, { type: "arrived", ...as("theirs") })
    expect(buffer).toMatchObject({ text: "mine", server: "theirs", theirs: "theirs" })
  })

  it("asks nothing when what comes is what was typed", () => {
    const buffer = having(edited, { type: "arrived", ...as("mine") })
    expect(buffer.theirs).toBeNull()
    expect(isDirty(buffer)).toBe(false)
  })

  it("still has to be saved after its own text was kept", () => {
    const buffer = having(edited, { type: "arrived", ...as("theirs") }, { type: "kept_mine" })
    expect(buffer).toMatchObject({ text: "mine", theirs: null })
    expect(isDirty(buffer)).toBe(true)
  })

  it("is as the server has it after the other text was taken", () => {
    const buffer = having(edited, { type: "arrived", ...as("theirs") }, { type: "took_theirs" })
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
    const early = having(sent, { type: "arrived", ...as("two") }, { type: "stored", ...as("two") })
    const late = having(sent, { type: "stored", ...as("two") }, { type: "arrived", ...as("two") })
    for (const buffer of [early, late]) {
      expect(buffer).toMatchObject({ text: "two", server: "two", theirs: null, saved: true, sent: [] })
      expect(isDirty(buffer)).toBe(false)
    }
  })

  it("goes on being edited while its own text comes back", () => {
    const buffer = having(sent, { type: "edited", text: "three" }, { type: "arrived", ...as("two") })
    expect(buffer).toMatchObject({ text: "three", server: "two", theirs: null })
  })

  it("isn't put back when an earlier text comes after a later one was stored", () => {
    const ahead = having(
      sent,
      { type: "stored", ...as("two") },
      { type: "edited", text: "three" },
      { type: "sent", text: "three" },
      { type: "stored", ...as("three") },
      { type: "arrived", ...as("two") },
    )
    expect(ahead).toMatchObject({ text: "three", server: "three", theirs: null })
    expect(having(ahead, { type: "arrived", ...as("three") })).toMatchObject({ text: "three", sent: [] })
  })

  it("knows its own text by its hash, so that the next is made of it", () => {
    const ahead = having(
      sent,
      { type: "stored", ...as("two") },
      { type: "edited", text: "three" },
      { type: "sent", text: "three" },
    )
    expect(ahead.sha256).toBe("sha of two")
    expect(having(ahead, { type: "arrived", ...as("two") }).sha256).toBe("sha of two")
    expect(having(ahead, { type: "stored", ...as("three") }, { type: "arrived", ...as("two") }).sha256).toBe(
      "sha of three",
    )
  })

  it("is what somebody made of it when that comes before the answer", () => {
    const buffer = having(sent, { type: "arrived", ...as("two") }, { type: "arrived", ...as("theirs") })
    expect(having(buffer, { type: "stored", ...as("two") })).toMatchObject({
      text: "theirs",
      server: "theirs",
      sha256: "sha of theirs",
    })
  })

  it("asks when somebody else was quicker, whether that is known before the answer or after it", () => {
    const before = having(sent, { type: "arrived", ...as("theirs") }, { type: "overtaken", text: "two" })
    const after = having(sent, { type: "overtaken", text: "two" }, { type: "arrived", ...as("theirs") })
    for (const buffer of [before, after]) {
      expect(buffer).toMatchObject({ text: "two", theirs: "theirs", sha256: "sha of theirs", saving: false, sent: [] })
    }
    // Saving the user's text replaces only the version that was shown, and nothing newer.
    expect(having(after, { type: "kept_mine" }).sha256).toBe("sha of theirs")
  })

  it("says why it wasn't, and is still unsaved", () => {
    const buffer = having(sent, { type: "refused", text: "two", reason: "No." })
    expect(buffer).toMatchObject({ failure: "No.", saving: false, sent: [] })
    expect(isDirty(buffer)).toBe(true)
  })

  it("is no longer told to be saved once it is edited again", () => {
    const buffer = having(sent, { type: "stored", ...as("two") }, { type: "edited", text: "three" })
    expect(buffer.saved).toBe(false)
  })
})

describe("a text that was left unsaved", () => {
  it("is there again, over the file that it was made from", () => {
    expect(openBuffer(as("one"), { text: "draft", overSame: true })).toMatchObject({ text: "draft", theirs: null })
  })

  it("asks when the file has changed since", () => {
    expect(openBuffer(as("two"), { text: "draft", overSame: false })).toMatchObject({ text: "draft", theirs: "two" })
  })

  it("is there, and asks nothing, before the file has come to the path that it was moved to", () => {
    const waiting = openBuffer(null, { text: "draft", overSame: false })
    const buffer = having(waiting, { type: "arrived", ...as("one"), expected: true })
    expect(buffer).toMatchObject({ text: "draft", server: "one", theirs: null })
  })
})
