import { createStoredArchives, MAX_ARCHIVE_BYTES } from "@switchyard/core/files/worktrees/stored-archives"
import { preparedBlob } from "@switchyard/core/kernel/keys"
import { expect, it } from "vitest"
import { openStores } from "../../../fixtures/stores.ts"
import { never as signal } from "../../../settings.ts"

const ADA = { owner: "ada", repository: "https://github.com/our/app" }
const name = "a".repeat(64)

async function open() {
  const { blobs } = await openStores()
  const archives = createStoredArchives({ blobs })
  return {
    blobs,
    archives,
    find: (place = ADA, what = name) => archives.find(place, what, { signal }),
    async keep(text: string, { place = ADA, sid = "one", what = name } = {}) {
      await blobs.put(preparedBlob(sid, 1, what), Buffer.from(text))
      return archives.keep(place, { sid, incarnation: 1, name: what }, { signal })
    },
  }
}

it("gives an owner's archive to the same repository's sessions, and to nobody else's", async () => {
  const { find, keep, blobs } = await open()
  expect(await find()).toBeNull()
  expect(await keep("poisoned")).toBe(true)
  expect(await find()).toMatch(/^http/)
  expect(await find({ ...ADA, owner: "ben" })).toBeNull()
  expect(await find({ ...ADA, repository: "https://github.com/our/other" })).toBeNull()
  // Moving text from one part of the key to another finds nothing.
  expect(await find({ owner: "ada/", repository: ADA.repository })).toBeNull()
  expect(await find(ADA, "b".repeat(64))).toBeNull()
  // The other owner's archive has the same name, but is stored separately.
  expect(await keep("honest", { place: { ...ADA, owner: "ben" }, sid: "two" })).toBe(true)
  const stored = (await Array.fromAsync(blobs.list("prepared/"))).map(({ key, sizeBytes }) => [key.length, sizeBytes])
  expect(stored.map(([, size]) => size).sort()).toEqual(["honest".length, "poisoned".length])
})

it("never replaces an archive, and takes only what the session has handed over", async () => {
  const { archives, keep, blobs } = await open()
  await keep("first")
  expect(await keep("the second one")).toBe(true)
  const [stored] = await Array.fromAsync(blobs.list("prepared/"))
  expect(stored?.sizeBytes).toBe("first".length)
  const other = { sid: "two", incarnation: 1, name: "b".repeat(64) }
  expect(await archives.keep(ADA, other, { signal })).toBe(false)
  expect(await archives.keep(ADA, { ...other, sid: "one", incarnation: 2 }, { signal })).toBe(false)
})

it("stores no archive that is too large, and at most twenty of an owner", async () => {
  const { blobs, keep, archives } = await open()
  const large = { ...blobs, head: async (key: string) => ({ key, sizeBytes: MAX_ARCHIVE_BYTES + 1, modifiedAt: 0 }) }
  const about = { sid: "one", incarnation: 1, name }
  expect(await createStoredArchives({ blobs: large }).keep(ADA, about, { signal })).toBe(false)
  const names = Array.from({ length: 23 }, (_, index) => index.toString(16).padStart(64, "0"))
  for (const what of names) await keep(what, { what })
  expect(await Array.fromAsync(blobs.list("prepared/"))).toHaveLength(20)
  expect(await archives.find(ADA, names.at(-1) ?? "", { signal })).not.toBeNull()
})
