import { ensureArchive } from "@switchyard/core/files/archives/archive"
import { createWorkspaceStore, sha256Of } from "@switchyard/core/files/workspaces/blob-store"
import { commitChanges } from "@switchyard/core/files/workspaces/commit"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import { collectGarbage } from "@switchyard/core/files/workspaces/garbage"
import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { preparedBlob } from "@switchyard/core/kernel/keys"
import { openSession } from "@switchyard/core/kernel/rules"
import type { Log } from "@switchyard/core/log/log"
import { deleteSession } from "@switchyard/core/sessions/rules"
import type { BlobInfo, Blobs } from "@switchyard/core/storage/blobs"
import { describe, expect, it } from "vitest"
import { newStage, put, SID, type Stage, signal } from "./stage.ts"
import { deletion, shaOf } from "./trees.ts"

const DAY_MS = 24 * 3600_000
const ROOT = `s/${SID}/1/`

async function keys({ blobs }: Stage) {
  return (await Array.fromAsync(blobs.list(ROOT))).map(({ key }) => key.slice(ROOT.length))
}
function pass(stage: Stage, ms: number) {
  const now = stage.clock.now() + ms
  stage.clock.now = () => now
}

/** Returns blobs with outdated lists: they lack newer blobs and still contain removed ones. */
async function lagging(blobs: Blobs) {
  let listed: BlobInfo[] = []
  const catchUp = async () => {
    listed = await Array.fromAsync(blobs.list(""))
  }
  await catchUp()
  async function* list(prefix: string) {
    yield* listed.filter(({ key }) => key.startsWith(prefix))
  }
  return { ...blobs, list, catchUp }
}

describe("collecting garbage", () => {
  it("keeps the outputs of builds until ten newer versions have one", async () => {
    await using stage = await newStage()
    const { session } = stage
    const store = createWorkspaceStore(stage.blobs, { sid: SID, incarnation: 1 })
    async function build(workspace_version: number) {
      const bytes = Buffer.from(`built ${workspace_version}`)
      const file = { path: workspacePath("index.html"), sha256: sha256Of(bytes), size: bytes.length, mode: 0o644 }
      await store.write(file.sha256, bytes, { signal })
      const manifest = await store.writeManifest({ files: [{ ...file, binary: false }], folders: [] }, { signal })
      const event = { type: "build_output_stored" as const, workspace_version, folder: "dist", manifest }
      await session.decide(() => [event], { signal })
      return [store.blobKey(file.sha256), store.manifestKey(manifest)]
    }
    const first = await build(1)
    pass(stage, 2 * DAY_MS)
    expect(await collectGarbage(stage, session, { signal })).toBe(0)
    for (let version = 2; version <= 11; version++) await build(version)
    pass(stage, 2 * DAY_MS)
    const before = await keys(stage)
    expect(await collectGarbage(stage, session, { signal })).toBe(2)
    expect(before.filter((key) => first.includes(ROOT + key))).toHaveLength(2)
    expect(await keys(stage)).toEqual(before.filter((key) => !first.includes(ROOT + key)))
  })

  it("keeps every version that the log knows, and everything that is younger than a day", async () => {
    await using stage = await newStage()
    const { session } = stage
    const versions = [
      await commitChanges(stage, session, [put("a", "1"), put("b", "1b")], { signal }),
      await commitChanges(stage, session, [put("a", "2"), deletion("b")], { signal }),
      await commitChanges(stage, session, [put("a", "3")], { signal }),
    ]
    const standing = await keys(stage)
    await stage.blobs.put(`${ROOT}blobs/${shaOf("left behind")}`, Buffer.from("left behind"))
    await stage.blobs.put(`${ROOT}manifests/${shaOf("left behind")}`, Buffer.from("{}"))
    pass(stage, DAY_MS - 1000)
    expect(await collectGarbage(stage, session, { signal })).toBe(0)
    expect(await keys(stage)).toHaveLength(standing.length + 2)

    pass(stage, 2000)
    expect(await collectGarbage(stage, session, { signal })).toBe(2)
    expect(await keys(stage)).toEqual(standing)
    for (const [index, at] of versions.entries()) {
      const { files } = await (await openWorkspace(stage, session, { at, signal })).readAllTexts({ signal })
      expect(files[0]?.text).toBe(String(index + 1))
    }
  })

  it("removes archives of versions that nobody asks for any more", async () => {
    await using stage = await newStage()
    const { session } = stage
    await ensureArchive(stage, session, { signal })
    await commitChanges(stage, session, [put("a", "1")], { signal })
    await ensureArchive(stage, session, { signal })
    await commitChanges(stage, session, [put("a", "2")], { signal })
    const newest = await ensureArchive(stage, session, { signal })
    expect(await collectGarbage(stage, session, { signal })).toBe(0)
    pass(stage, DAY_MS + 1000)
    expect(await collectGarbage(stage, session, { signal })).toBe(2)
    expect((await keys(stage)).filter((key) => key.startsWith("archives/"))).toEqual([newest.slice(ROOT.length)])
  })

  it("removes outlines after a day: they are made again when they are needed", async () => {
    await using stage = await newStage()
    await stage.blobs.put(`${ROOT}outlines/1/python/${shaOf("a")}`, Buffer.from("{}"))
    expect(await collectGarbage(stage, stage.session, { signal })).toBe(0)
    pass(stage, DAY_MS + 1000)
    expect(await collectGarbage(stage, stage.session, { signal })).toBe(1)
  })

  it("removes archives of set-ups that a lost runner left behind", async () => {
    await using stage = await newStage()
    await stage.blobs.put(preparedBlob(SID, 1, shaOf("a")), Buffer.from("packed"))
    expect(await collectGarbage(stage, stage.session, { signal })).toBe(0)
    pass(stage, DAY_MS + 1000)
    expect(await collectGarbage(stage, stage.session, { signal })).toBe(1)
    expect(await keys(stage)).toEqual([])
  })

  it("keeps the archive of a workspace that nobody wrote to", async () => {
    await using stage = await newStage()
    await ensureArchive(stage, stage.session, { signal })
    pass(stage, DAY_MS + 1000)
    expect(await collectGarbage(stage, stage.session, { signal })).toBe(0)
  })

  it("takes nothing from a commit that uses what somebody left behind long ago", async () => {
    await using stage = await newStage()
    const { session } = stage
    await stage.blobs.put(`${ROOT}blobs/${shaOf("again")}`, Buffer.from("again"))
    await commitChanges(stage, session, [put("a", "1")], { signal })
    pass(stage, DAY_MS + 1000)
    // The commit puts its blobs while the collector reads the log, and appends its event after the collector is done.
    const other = await stage.join()
    const listed = Promise.withResolvers<void>()
    const blobsArePut = Promise.withResolvers<void>()
    const log: Log = {
      ...stage.log,
      async *read(name, since, options) {
        const isCollectors = since === 0
        if (isCollectors) listed.resolve()
        if (isCollectors) await blobsArePut.promise
        yield* stage.log.read(name, since, options)
      },
    }
    const collected = collectGarbage({ ...stage, log }, session, { signal })
    const blobs = {
      ...stage.blobs,
      put: async (...args: Parameters<typeof stage.blobs.put>) => {
        const size = await stage.blobs.put(...args)
        if (args[0].includes("/manifests/")) blobsArePut.resolve()
        if (args[0].includes("/manifests/")) expect(await collected).toBe(0)
        return size
      },
    }
    await listed.promise
    await commitChanges({ blobs }, other, [put("b", "again")], { signal })
    await session.catchUp({ signal })
    const { files } = await (await openWorkspace(stage, session, { signal })).readAllTexts({ signal })
    expect(files.map(({ text }) => text)).toEqual(["1", "again"])
  })

  it("believes no list that lags: it keeps what was put since, and comes back for what it didn't see", async () => {
    await using stage = await newStage()
    const { session } = stage
    const left = (text: string) => `${ROOT}blobs/${shaOf(text)}`
    for (const text of ["again", "gone", "left", "pending"]) await stage.blobs.put(left(text), Buffer.from(text))
    pass(stage, DAY_MS + 1000)
    const blobs = await lagging(stage.blobs)
    await stage.blobs.remove(left("gone"))
    await stage.blobs.put(left("later"), Buffer.from("later"))
    // A commit in progress puts this blob again.
    await stage.blobs.put(left("pending"), Buffer.from("pending"))
    await commitChanges(stage, session, [put("a", "again"), put("b", "new")], { signal })
    expect(await collectGarbage({ ...stage, blobs }, session, { signal })).toBe(1)
    const readTexts = async () => {
      const { files } = await (await openWorkspace(stage, session, { signal })).readAllTexts({ signal })
      return files.map(({ text }) => text)
    }
    expect(await readTexts()).toEqual(["again", "new"])
    // A day later, and with current lists, the rest is collected, too.
    pass(stage, DAY_MS + 1000)
    await blobs.catchUp()
    expect(await collectGarbage({ ...stage, blobs }, session, { signal })).toBe(2)
    expect(await readTexts()).toEqual(["again", "new"])
  })

  it("leaves other sessions, other lives of this one, and other blobs alone", async () => {
    await using stage = await newStage()
    const { session } = stage
    await commitChanges(stage, session, [put("a", "1")], { signal })
    const others = [`${ROOT}artifacts/x`, `s/${SID}/10/blobs/x`, `s/${SID.replace("0", "1")}/1/blobs/x`]
    for (const key of others) await stage.blobs.put(key, Buffer.from("x"))
    pass(stage, DAY_MS + 1000)
    expect(await collectGarbage(stage, session, { signal })).toBe(0)

    await session.decide(deleteSession("request"), { signal })
    expect(await collectGarbage(stage, session, { signal })).toBe(0)
    await session.decide(openSession("default"), { signal })
    await commitChanges(stage, session, [put("a", "new life")], { signal })
    await stage.blobs.put(`s/${SID}/2/blobs/${shaOf("left behind")}`, Buffer.from("left behind"))
    pass(stage, DAY_MS + 1000)
    expect(await collectGarbage(stage, session, { signal })).toBe(1)
    expect((await Array.fromAsync(stage.blobs.list("s/"))).map(({ key }) => key)).toEqual(
      expect.arrayContaining(others),
    )
  })

  it("removes nothing when it can't tell what a version holds", async () => {
    await using stage = await newStage()
    const { session } = stage
    const first = await commitChanges(stage, session, [put("a", "1")], { signal })
    await commitChanges(stage, session, [put("a", "2")], { signal })
    await stage.blobs.remove(`${ROOT}manifests/${first.manifest}`)
    await stage.blobs.put(`${ROOT}blobs/${shaOf("left behind")}`, Buffer.from("left behind"))
    const standing = await keys(stage)
    pass(stage, DAY_MS + 1000)
    await expect(collectGarbage(stage, session, { signal })).rejects.toThrow(
      expect.objectContaining({ code: "workspace_error" }),
    )
    expect(await keys(stage)).toEqual(standing)
  })
})
