import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { appKey, createOpenApp, publicationBlobs } from "@switchyard/core/sessions/apps/app-store"
import { readAll } from "@switchyard/core/storage/blobs"
import { expect, it } from "vitest"
import { newStage, signal } from "../../files/workspaces/stage.ts"
import { shaOf } from "../../files/workspaces/trees.ts"

it("reads the list of an app's files once, shows what is published now, and nothing after a withdrawal", async () => {
  await using stage = await newStage()
  const { records } = stage
  const read: string[] = []
  const blobs: typeof stage.blobs = {
    ...stage.blobs,
    get(key, options) {
      read.push(key)
      return stage.blobs.get(key, options)
    },
  }
  async function publish(publication: string, text: string) {
    const prefix = publicationBlobs("tea", publication)
    const file = { path: "index.html", sha256: shaOf(text), size: text.length, mode: 0o644, binary: false }
    await blobs.put(`${prefix}${file.sha256}`, Buffer.from(text))
    await blobs.put(`${prefix}manifest`, Buffer.from(JSON.stringify({ files: [file], folders: [] })))
    const about = { sid: "s", session_id: "a", session_name: "A", version: 1, folder: "" }
    const live = { ...about, publication, file_count: 1, size_bytes: 1, published_at: 1 }
    await records.put(appKey("tea"), { value: { name: "tea", owner: "ada", live } }, { signal })
  }
  const open = createOpenApp({ records, blobs })
  const shown = async () => {
    const app = await open("tea", { signal })
    const file = app?.stat(workspacePath("index.html"))
    const content = file?.type === "file" ? await app?.read(file, { signal }) : undefined
    return content && String(await readAll(content))
  }

  expect(await shown()).toBeUndefined()
  await publish("pub_1", "One")
  expect([await shown(), await shown()]).toEqual(["One", "One"])
  await publish("pub_2", "Two")
  expect([await shown(), await shown()]).toEqual(["Two", "Two"])
  const lists = ["pub_1", "pub_2"].map((publication) => `${publicationBlobs("tea", publication)}manifest`)
  expect(read.filter((key) => key.endsWith("manifest"))).toEqual(lists)
  await records.put(appKey("tea"), { value: { name: "tea", owner: "ada", live: null } }, { signal })
  expect(await shown()).toBeUndefined()
})
