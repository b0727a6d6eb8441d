import type { Codebase } from "@switchyard/core/files/codebase/codebase"
import { createWorkspaceCodebase } from "@switchyard/core/files/codebase/workspace-codebase"
import { createSymbolCache } from "@switchyard/core/files/symbols/symbol-cache"
import { createSymbols } from "@switchyard/core/files/symbols/symbol-index"
import { commitChanges } from "@switchyard/core/files/workspaces/commit"
import type { Blobs } from "@switchyard/core/storage/blobs"
import { describe, expect, it } from "vitest"
import { newStage, put, signal } from "../workspaces/stage.ts"

async function newProject() {
  const stage = await newStage()
  const inner = createWorkspaceCodebase(stage, stage.session)
  const read: string[] = []
  const codebase: Codebase = {
    ...inner,
    read(path, options) {
      read.push(path)
      return inner.read(path, options)
    },
  }
  const write = (files: Record<string, string | Uint8Array>) =>
    commitChanges(
      stage,
      stage.session,
      Object.entries(files).map(([path, text]) => put(path, text)),
      { signal },
    )
  const newSymbols = () => createSymbols({ blobs: stage.blobs, key: "s/1/outlines/index.json" })
  await write({
    "a.ts": "export const a = 1\n",
    "b.py": "def b(): pass\n",
    "c.md": "# C\n",
    "d.ts": Uint8Array.of(0, 1),
  })
  return { ...stage, codebase, write, newSymbols, taken: () => read.splice(0).sort() }
}

describe("the symbols of a codebase", () => {
  it("are read once, and again only of what has changed, by whatever process", async () => {
    await using project = await newProject()
    const { codebase, newSymbols } = project
    const symbols = newSymbols()
    expect(await symbols.known(codebase, { signal })).toEqual({ files: new Map(), missing: 3 })
    const { files, missing } = await symbols.build(codebase, { signal })
    expect([[...files.keys()], missing, project.taken()]).toEqual([["a.ts", "b.py"], 0, ["a.ts", "b.py", "d.ts"]])
    await project.write({ "a.ts": "export const other = 1\n", "moved/b.py": "def b(): pass\n" })
    const later = newSymbols()
    expect((await later.known(codebase, { signal })).missing).toBe(1)
    const built = await later.build(codebase, { signal })
    expect(project.taken()).toEqual(["a.ts"])
    expect([...built.files.keys()]).toEqual(["a.ts", "b.py", "moved/b.py"])
    expect(built.files.get("a.ts")?.symbols.map(({ name }) => name)).toEqual(["other"])
    expect(await newSymbols().known(codebase, { signal })).toEqual(built)
  })

  it("are loaded to their end for all who may wait for them, though the first gives up", async () => {
    await using project = await newProject()
    const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const blobs: Blobs = {
      ...project.blobs,
      async get(key, options) {
        asked.resolve()
        await answered.promise
        options?.signal?.throwIfAborted()
        return project.blobs.get(key, options)
      },
    }
    const cache = createSymbolCache()
    const known = (each: AbortSignal) =>
      createSymbols({ blobs, key: "s/1/outlines/index.json", cache }).known(project.codebase, { signal: each })
    const hasty = new AbortController()
    const given = expect(known(hasty.signal)).resolves.toEqual({ files: new Map(), missing: 3 })
    await asked.promise
    hasty.abort()
    answered.resolve()
    await given
    expect(await known(signal)).toEqual({ files: new Map(), missing: 3 })
  })

  it("are stored once enough of them are new: a few are read again sooner", async () => {
    await using project = await newProject()
    await project.write(Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`f${at}.ts`, `const f = ${at}\n`])))
    const build = () => project.newSymbols().build(project.codebase, { signal })
    await build()
    project.taken()
    for (const edited of [["f1.ts"], ["f1.ts", "f2.ts"]]) {
      await project.write(Object.fromEntries(edited.map((path) => [path, `const ${edited.length} = 0\n`])))
      await build()
      expect(project.taken()).toEqual(edited)
    }
    await build()
    expect(project.taken()).toEqual([])
  })

  it("keep what was read before an abort", async () => {
    await using project = await newProject()
    const controller = new AbortController()
    const codebase: Codebase = {
      ...project.codebase,
      async read(path, options) {
        const text = await project.codebase.read(path, options)
        controller.abort(new Error("enough"))
        return text
      },
    }
    await expect(project.newSymbols().build(codebase, { signal: controller.signal })).rejects.toThrow("enough")
    project.taken()
    await project.newSymbols().build(project.codebase, { signal })
    expect(project.taken()).toEqual(["b.py", "d.ts"])
  })

  it("are read anew where what is stored makes no sense", async () => {
    await using project = await newProject()
    await project.blobs.put("s/1/outlines/index.json", Buffer.from("{"))
    expect((await project.newSymbols().build(project.codebase, { signal })).missing).toBe(0)
  })
})
