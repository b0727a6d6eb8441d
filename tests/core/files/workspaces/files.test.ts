import { commitChanges } from "@switchyard/core/files/workspaces/commit"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { describe, expect, it } from "vitest"
import { eventsOf, newStage, put, type Stage, signal } from "./stage.ts"
import { folder } from "./trees.ts"

const failsWith = (code: string) => expect.objectContaining({ code })

async function stageWith(...changes: Parameters<typeof commitChanges>[2]) {
  const stage = await newStage()
  await commitChanges(stage, stage.session, changes, { signal })
  return { ...stage, workspace: await openWorkspace(stage, stage.session, { signal }) }
}
const read = ({ workspace }: { workspace: Awaited<ReturnType<typeof openWorkspace>> }, path: string) =>
  workspace.readText(workspacePath(path), { signal })

describe("a workspace", () => {
  it("that nobody wrote to is empty", async () => {
    await using stage = await newStage()
    const workspace = await openWorkspace(stage, stage.session, { signal })
    expect(workspace.at).toMatchObject({ version: 0, manifest: null })
    expect(workspace.tree()).toEqual([])
    expect(await workspace.readAllTexts({ signal })).toEqual({ files: [], skippedBinary: [], skippedLarge: [] })
  })

  it("gives texts back to the byte", async () => {
    const text = "\ufeffZeile\r\n\tüñí 😀 \u2028\u0001 ohne Ende"
    await using stage = await stageWith(put("a/ü.txt", text), put("none", ""))
    expect(await read(stage, "a/ü.txt")).toBe(text)
    expect(await read(stage, "none")).toBe("")
  })

  it("tells a file from a folder from nothing", async () => {
    await using stage = await stageWith(
      put("src/a", "12", { mode: 0o755 }),
      folder("empty"),
      put("img", Buffer.from([0])),
    )
    const { workspace } = stage
    const stat = (path: string) => workspace.stat(workspacePath(path))
    expect(stat("src/a")).toMatchObject({ type: "file", size: 2, mode: 0o755, binary: false })
    expect(stat("img")).toMatchObject({ type: "file", binary: true })
    expect([stat("src"), stat("empty")]).toEqual([{ type: "directory" }, { type: "directory" }])
    expect([stat("nope"), stat("src/a/x"), stat("constructor")]).toEqual([undefined, undefined, undefined])
  })

  it("reads nothing but texts", async () => {
    await using stage = await stageWith(put("src/a", "A"), folder("empty"), put("img", Buffer.from([0xff, 0xd8])))
    for (const path of ["nope", "src", "empty", "src/a/b"]) {
      await expect(read(stage, path)).rejects.toThrow(failsWith("workspace_not_found"))
    }
    await expect(read(stage, "img")).rejects.toThrow(failsWith("workspace_binary_file"))
  })

  it("reads no text into memory that no editor takes", async () => {
    await using stage = await stageWith(put("long", "x".repeat(1_600_001)), put("just", "😀".repeat(400_000)))
    await expect(read(stage, "long")).rejects.toThrow(failsWith("workspace_validation_error"))
    expect(await read(stage, "just")).toHaveLength(800_000)
  })

  it("is a view of one version, whatever is committed later", async () => {
    await using stage = await stageWith(put("a", "1"))
    const { session, workspace } = stage
    await commitChanges(stage, session, [put("a", "2")], { signal })
    expect(await read(stage, "a")).toBe("1")
    const [first] = await eventsOf(stage, "workspace_committed")
    const at = { version: 1, manifest: first && "manifest" in first ? String(first.manifest) : null }
    expect(workspace.at).toMatchObject(at)
    const again = await openWorkspace(stage, session, { at, signal })
    expect(await read({ workspace: again }, "a")).toBe("1")
  })
})

describe("all texts at once", () => {
  it("come in order of the path, without what is no text", async () => {
    const names = Array.from({ length: 100 }, (_, index) => `src/${(index * 37) % 100}`)
    await using stage = await stageWith(
      ...names.map((name) => put(name, name)),
      put("z/b.bin", Buffer.from([1, 0, 2])),
      put("a.bin", Buffer.from([0xff])),
    )
    const { files, skippedBinary, skippedLarge } = await stage.workspace.readAllTexts({ signal })
    expect(files).toEqual(names.sort().map((path) => ({ path, text: path })))
    expect(skippedBinary).toEqual(["a.bin", "z/b.bin"])
    expect(skippedLarge).toEqual([])
  })

  it("are no more than fit, and what is left out is named", async () => {
    await using stage = await stageWith(
      put("a", "x".repeat(600)),
      put("b", "x".repeat(600)),
      put("c", "x".repeat(300)),
      put("d", "x".repeat(101)),
      put("e", "x".repeat(100)),
      put("huge", "x".repeat(1_600_001)),
    )
    const some = await stage.workspace.readAllTexts({ maxBytes: 1000, signal })
    expect(some.files.map(({ path }) => path)).toEqual(["a", "c", "e"])
    expect(some.skippedLarge).toEqual(["b", "d", "huge"])
    const most = await stage.workspace.readAllTexts({ signal })
    expect(most.files).toHaveLength(5)
    expect(most.skippedLarge).toEqual(["huge"])
  })

  it("say what is wrong when the store has lost one", async () => {
    await using stage = await stageWith(put("a", "A"), put("b", "B"))
    const lost = await stageBlobs(stage)
    await stage.blobs.remove(lost)
    await expect(stage.workspace.readAllTexts({ signal })).rejects.toThrow(failsWith("workspace_error"))
  })
})

async function stageBlobs(stage: Stage): Promise<string> {
  for await (const { key } of stage.blobs.list("s/")) if (key.includes("/blobs/")) return key
  throw new Error("There are no blobs.")
}
