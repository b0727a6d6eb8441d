import { createSymbolCache } from "@switchyard/core/files/symbols/symbol-cache"
import { createSymbols } from "@switchyard/core/files/symbols/symbol-index"
import { commitChanges } from "@switchyard/core/files/workspaces/commit"
import { openWorkspace, type Workspace } from "@switchyard/core/files/workspaces/files"
import type { Blobs } from "@switchyard/core/storage/blobs"
import { describe, expect, it } from "vitest"
import { newStage, put, signal } from "../workspaces/stage.ts"

async function newProject() {
  const stage = await newStage()
  const read: string[] = []
  async function open(): Promise<Workspace> {
    const workspace = await openWorkspace(stage, stage.session, { signal })
    return {
      ...workspace,
      readText(path, options) {
        read.push(path)
        return workspace.readText(path, options)
      },
    }
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
  return { ...stage, open, write, newSymbols, taken: () => read.splice(0).sort() }
}

describe("the symbols of a codebase", () => {
  it("are read once, and again only of what has changed, by whatever process", async () => {
    await using project = await newProject()
    const { open, newSymbols } = project
    const symbols = newSymbols()
    expect(await symbols.known(await open(), { signal })).toEqual({ files: new Map(), missing: 3 })
    const { files, missing } = await symbols.build(await open(), { signal })
    expect([[...files.keys()], missing, project.taken()]).toEqual([["a.ts", "b.py"], 0, ["a.ts", "b.py", "d.ts"]])
    await project.write({ "a.ts": "export const other = 1\n", "moved/b.py": "def b(): pass\n" })
    const later = newSymbols()
    expect((await later.known(await open(), { signal })).missing).toBe(1)
    const built = await later.build(await open(), { signal })
    expect(project.taken()).toEqual(["a.ts"])
    expect([...built.files.keys()]).toEqual(["a.ts", "b.py", "moved/b.py"])
    expect(built.files.get("a.ts")?.symbols.map(({ name }) => name)).toEqual(["other"])
    expect(await newSymbols().known(await open(), { signal })).toEqual(built)
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
    const workspace = await project.open()
    const known = (each: AbortSignal) =>
      createSymbols({ blobs, key: "s/1/outlines/index.json", cache }).known(workspace, { signal: each })
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
    const build = async () => project.newSymbols().build(await project.open(), { signal })
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
    const workspace = await project.open()
    const interrupted: Workspace = {
      ...workspace,
      async readText(path, options) {
        const text = await workspace.readText(path, options)
        controller.abort(new Error("enough"))
        return text
      },
    }
    await expect(project.newSymbols().build(interrupted, { signal: controller.signal })).rejects.toThrow("enough")
    project.taken()
    await project.newSymbols().build(await project.open(), { signal })
    expect(project.taken()).toEqual(["b.py", "d.ts"])
  })

  it("are read anew where what is stored makes no sense", async () => {
    await using project = await newProject()
    await project.blobs.put("s/1/outlines/index.json", Buffer.from("{"))
    expect((await project.newSymbols().build(await project.open(), { signal })).missing).toBe(0)
  })
})
