import { describe, expect, it } from "vitest"
import { createDrafts } from "../../../../../packages/web/src/features/files/buffer/drafts.ts"

/** Creates a browser's storage with room for this many characters. */
function createStorage(room = Number.POSITIVE_INFINITY): Storage {
  const kept = new Map<string, string>()
  const size = () => [...kept].reduce((sum, [key, value]) => sum + key.length + value.length, 0)
  return {
    get length() {
      return kept.size
    },
    key: (at) => [...kept.keys()][at] ?? null,
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => {
      if (size() + key.length + value.length > room) throw new DOMException("No room.", "QuotaExceededError")
      kept.set(key, value)
    },
    removeItem: (key) => kept.delete(key),
    clear: () => kept.clear(),
  }
}

const draft = { base: "a".repeat(64), text: "unsaved\r\n" }

describe("drafts", () => {
  it("are the text and what it was made from, for one path of one session", () => {
    const storage = createStorage()
    createDrafts(storage, "one").save("a.txt", draft)
    expect(createDrafts(storage, "one").read("a.txt")).toEqual(draft)
    expect(createDrafts(storage, "one").read("b.txt")).toBeNull()
    expect(createDrafts(storage, "two").read("a.txt")).toBeNull()
  })

  it("are gone once they are dropped", () => {
    const drafts = createDrafts(createStorage(), "one")
    drafts.save("a.txt", draft)
    drafts.drop("a.txt")
    expect(drafts.read("a.txt")).toBeNull()
  })

  it("go along with a file, and with a folder", () => {
    const drafts = createDrafts(createStorage(), "one")
    for (const path of ["src/a.txt", "src/deep/b.txt", "src2/c.txt"]) drafts.save(path, { ...draft, text: path })
    drafts.move("src", "lib/src")
    expect(drafts.read("lib/src/a.txt")?.text).toBe("src/a.txt")
    expect(drafts.read("lib/src/deep/b.txt")?.text).toBe("src/deep/b.txt")
    expect(drafts.read("src2/c.txt")?.text).toBe("src2/c.txt")
    expect(drafts.read("src/a.txt")).toBeNull()
  })

  it("say when there is no room for them, and don't leave an older text in their place", () => {
    const drafts = createDrafts(createStorage(300), "one")
    expect(drafts.save("a.txt", draft)).toBe(true)
    expect(drafts.save("a.txt", { ...draft, text: "x".repeat(300) })).toBe(false)
    expect(drafts.read("a.txt")).toBeNull()
  })

  it("are nothing where something else was stored", () => {
    const storage = createStorage()
    for (const kept of ["no JSON", "{}", "null", '{"base":1,"text":"a"}']) {
      storage.setItem("switchyard.draft.one:a.txt", kept)
      expect(createDrafts(storage, "one").read("a.txt")).toBeNull()
    }
  })
})
