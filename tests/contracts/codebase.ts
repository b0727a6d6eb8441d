import { createHash } from "node:crypto"
import type { NewEvent } from "@switchyard/core/events"
import type { Codebase } from "@switchyard/core/files/codebase/codebase"
import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { describe, expect, it } from "vitest"
import { never as signal } from "../settings.ts"

export interface CodebaseStage {
  codebase: Codebase
  /** Changes files as somebody else would. */
  put(files: Record<string, string | Uint8Array>): Promise<void>
  close(): Promise<void>
}

const shaOf = (text: string) => createHash("sha256").update(text).digest("hex")
const write = (path: string, text: string, ifSha256: string | null) => ({ path: workspacePath(path), text, ifSha256 })

/** The contract of every implementation of `Codebase`. `open` gives one without files. */
export function codebaseContract(name: string, open: () => Promise<CodebaseStage>) {
  describe(`codebase contract: ${name}`, () => {
    async function withFiles(files: Record<string, string | Uint8Array>) {
      const stage = await open()
      await stage.put(files)
      const { codebase } = stage
      return {
        codebase,
        put: stage.put,
        paths: async () => (await codebase.list({ signal })).map(({ path }) => path),
        textOf: async (path: string) => (await codebase.read(workspacePath(path), { signal })).text,
        apply: (...writes: ReturnType<typeof write>[]) => codebase.apply(writes, { signal }),
        [Symbol.asyncDispose]: () => stage.close(),
      }
    }

    it("lists files in order of the path, with a stamp that changes with their bytes alone", async () => {
      await using stage = await withFiles({ "b.ts": "b", "a/c.ts": "c", "a.ts": "a" })
      expect(await stage.paths()).toEqual(["a.ts", "a/c.ts", "b.ts"])
      const before = await stage.codebase.list({ signal })
      expect(before.map(({ sizeBytes }) => sizeBytes)).toEqual([1, 1, 1])
      await stage.put({ "b.ts": "bb" })
      const after = await stage.codebase.list({ signal })
      expect(after.map(({ stamp }, at) => stamp === before[at]?.stamp)).toEqual([true, true, false])
    })

    it("reads texts as they are, with the hash of their bytes", async () => {
      const text = "\ufeffa\r\nß\n"
      await using stage = await withFiles({ "a.txt": text })
      expect(await stage.codebase.read(workspacePath("a.txt"), { signal })).toEqual({ text, sha256: shaOf(text) })
    })

    it("says why it reads no text", async () => {
      await using stage = await withFiles({
        "a.png": Uint8Array.of(0, 1),
        "d/e": "e",
        "long.txt": "x".repeat(1_700_000),
      })
      const read = (path: string) => stage.codebase.read(workspacePath(path), { signal })
      await expect(read("none")).rejects.toMatchObject({ code: "workspace_not_found" })
      await expect(read("d")).rejects.toMatchObject({ code: "workspace_not_found" })
      await expect(read("a.png")).rejects.toMatchObject({ code: "workspace_binary_file" })
      await expect(read("long.txt")).rejects.toMatchObject({ code: "workspace_validation_error" })
    })

    it("writes new files and changed ones, all together", async () => {
      await using stage = await withFiles({ "a.ts": "a" })
      await stage.apply(write("a.ts", "A\r\n", shaOf("a")), write("new/deep/b.ts", "b", null))
      expect([await stage.textOf("a.ts"), await stage.textOf("new/deep/b.ts")]).toEqual(["A\r\n", "b"])
    })

    it("writes nothing where one file isn't what it was", async () => {
      await using stage = await withFiles({ "a.ts": "a", "b.ts": "other" })
      const applying = stage.apply(write("a.ts", "A", shaOf("a")), write("b.ts", "B", shaOf("b")))
      await expect(applying).rejects.toMatchObject({ code: "workspace_conflict", details: { path: "b.ts" } })
      await expect(stage.apply(write("a.ts", "A", null))).rejects.toMatchObject({ code: "workspace_conflict" })
      await expect(stage.apply(write("c.ts", "C", shaOf("c")))).rejects.toMatchObject({ code: "workspace_conflict" })
      await expect(stage.apply(write("a.ts/d", "D", null))).rejects.toMatchObject({ code: "workspace_conflict" })
      expect([await stage.textOf("a.ts"), await stage.paths()]).toEqual(["a", ["a.ts", "b.ts"]])
    })

    it("takes a repetition for what it is", async () => {
      await using stage = await withFiles({ "a.ts": "a" })
      const writes = [write("a.ts", "A", shaOf("a")), write("b.ts", "B", null)]
      await stage.apply(...writes)
      await stage.apply(...writes)
      expect([await stage.textOf("a.ts"), await stage.textOf("b.ts")]).toEqual(["A", "B"])
    })

    it("records what a guard adds to the writes, once", async () => {
      await using stage = await withFiles({ "a.ts": "a" })
      let asked = 0
      const note = { type: "chat_noted" as const, chat_id: "c", text: "written" }
      const guard = (events: NewEvent[]) => () => {
        asked++
        return [...events, note]
      }
      await stage.codebase.apply([write("a.ts", "A", shaOf("a"))], { guard, signal })
      expect([asked > 0, await stage.textOf("a.ts")]).toEqual([true, "A"])
    })
  })
}
