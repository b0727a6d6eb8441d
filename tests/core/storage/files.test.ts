import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { AppError, isAppError } from "@switchyard/core/errors"
import { readAll } from "@switchyard/core/storage/blobs"
import { attachment } from "@switchyard/core/storage/content-disposition"
import { createFileBlobs } from "@switchyard/core/storage/files"
import { verifySignedBlob } from "@switchyard/core/storage/signed-blobs"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { blobsContract } from "../../contracts/blobs.ts"

const HOUR_MS = 3600 * 1000
const signingKey = new Uint8Array(32).fill(7)

/** Opens file blobs in a new directory, with a clock that the test moves and a server for signed URLs. */
async function openFiles() {
  const parent = await mkdtemp(join(tmpdir(), "blobs-"))
  const directory = join(parent, "blobs")
  const clock = { ms: Date.now() }
  const now = () => clock.ms
  const server = createServer(async (request, response) => {
    try {
      const signed = verifySignedBlob({ signingKey, now }, request.url ?? "")
      const body = await blobs.get(signed.key)
      if (!body) throw new AppError("not_found", "No such blob.")
      response.setHeader("content-disposition", attachment(signed.filename))
      response.setHeader("content-type", signed.contentType)
      await pipeline(body, response)
    } catch (error) {
      response.writeHead(isAppError(error, "forbidden") ? 403 : 404).end()
    }
  })
  const publicUrl = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const open = () => createFileBlobs({ directory, publicUrl, signingKey, now })
  const blobs = open()
  server.listen(0, "127.0.0.1")
  await once(server, "listening")

  return {
    blobs,
    open,
    clock,
    parent,
    directory,
    files: async () => {
      const entries = await readdir(join(directory, "files"), { recursive: true, withFileTypes: true })
      return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    },
    async close() {
      blobs.close()
      server.closeAllConnections()
      server.close()
      await rm(parent, { recursive: true })
    },
  }
}

blobsContract("files", async () => {
  const store = await openFiles()
  const floodArgs = ["files", join(store.parent, "flood")]
  return { ...store, floodArgs, listsInByteOrder: true, answersSignedHeaders: true }
})

describe("blobs in files", () => {
  let store: Awaited<ReturnType<typeof openFiles>>
  beforeEach(async () => {
    store = await openFiles()
  })
  afterEach(() => store.close())

  async function text(key: string) {
    const found = await store.blobs.get(key)
    return found && (await readAll(found)).toString()
  }

  it("are there when the directory is opened again", async () => {
    await store.blobs.put("a/b", Buffer.from("kept"), { contentType: "text/plain" })
    const again = store.open()
    expect(await again.head("a/b")).toEqual({ key: "a/b", sizeBytes: 4, modifiedAt: store.clock.ms })
    expect((await Array.fromAsync(again.list("a/"))).map((blob) => blob.key)).toEqual(["a/b"])
    again.close()
  })

  it("never take a name from a key, nor leave their directory", async () => {
    for (const key of ["/etc/x", "..%2f..%2fx", "a/.../b", "C:\\x", "~/x"]) await store.blobs.put(key, Buffer.from(key))
    const files = await store.files()
    expect(files).toHaveLength(5)
    for (const file of files) expect(file.slice(store.directory.length)).toMatch(/^\/files\/[0-9a-f]{2}\/[0-9a-f]{32}$/)
    expect(await readdir(store.parent)).toEqual(["blobs"])
  })

  it("leave no file behind when they are replaced, removed, or never finished", async () => {
    async function* broken() {
      yield Buffer.from("half")
      throw new Error("broken")
    }
    await store.blobs.put("a", Buffer.from("1"))
    await store.blobs.put("a", Buffer.from("2"))
    await expect(store.blobs.put("a", broken())).rejects.toThrow("broken")
    expect(await Promise.all((await store.files()).map((file) => readFile(file, "utf8")))).toEqual(["2"])
    await store.blobs.remove("a")
    expect(await store.files()).toEqual([])
  })

  it("say so when a file of theirs is cut or gone", async () => {
    await store.blobs.put("a", Buffer.from("1"))
    for (const file of await store.files()) await truncate(file)
    await expect(text("a")).rejects.toMatchObject({ code: "storage_damaged", details: { key: "a" } })
    for (const file of await store.files()) await rm(file)
    await expect(text("a")).rejects.toMatchObject({ code: "storage_damaged", details: { key: "a" } })
  })

  it("that are removed before they are read throw not_found", async () => {
    await store.blobs.put("a", Buffer.from("1"))
    const found = await store.blobs.get("a")
    await store.blobs.remove("a")
    await expect(Array.fromAsync(found ?? [])).rejects.toSatisfy((error) => isAppError(error, "not_found"))
  })

  it("are given to who opens them in the version of that moment", async () => {
    await store.blobs.put("a", Buffer.from("1"))
    const found = await store.blobs.get("a")
    await store.blobs.put("a", Buffer.from("second"))
    expect((await readAll(found ?? (async function* () {})())).toString()).toBe("second")
  })

  describe("whose writer is killed", () => {
    let writer: ChildProcess
    afterEach(() => writer.kill("SIGKILL"))

    it("keep every version that was acknowledged, and their remains are cleaned up a day later", async () => {
      writer = fork(new URL("file-blobs-writer.ts", import.meta.url), [store.directory])
      const acknowledged: number[] = []
      writer.on("message", (n: number) => {
        acknowledged.push(n)
        if (n === 60) writer.kill("SIGKILL")
      })
      await once(writer, "exit")

      const blobs = await Array.fromAsync(store.blobs.list(""))
      const found = await Promise.all(blobs.map(async ({ key }) => [key, await text(key)] as const))
      const versions = new Map(found.map(([key, content]) => [key, Number(content?.split(",")[0])]))
      for (const n of acknowledged) expect(versions.get(`k${n % 7}`)).toBeGreaterThanOrEqual(n)
      for (const [, content] of found) expect(content?.split(",").every((n) => n === content.split(",")[0])).toBe(true)

      // The writer always leaves one upload unfinished.
      expect((await store.files()).length).toBeGreaterThan(blobs.length)
      store.clock.ms += 23 * HOUR_MS
      await store.blobs.put("k0", Buffer.from("new"))
      expect((await store.files()).length).toBeGreaterThan(blobs.length)
      store.clock.ms += 2 * HOUR_MS
      await store.blobs.put("k0", Buffer.from("new"))
      expect((await store.files()).length).toBe(blobs.length)
    })
  })

  it("fail a put whose file was collected while it was written", async () => {
    async function* slow() {
      yield Buffer.from("half")
      store.clock.ms += 25 * HOUR_MS
      await store.blobs.put("other", Buffer.from("x"))
      yield Buffer.from("half")
    }
    await store.blobs.put("a", Buffer.from("old"))
    await expect(store.blobs.put("a", slow())).rejects.toThrow("collected")
    expect(await text("a")).toBe("old")
  })

  describe("signed URLs", () => {
    const signed = async () => {
      await store.blobs.put("s/1/a b.txt", Buffer.from("hello"))
      return new URL(await store.blobs.signedUrl("s/1/a b.txt", { expiresInSeconds: 60, filename: "a.txt" }))
    }

    it("work until they expire", async () => {
      const url = await signed()
      store.clock.ms += 59_000
      expect((await fetch(url)).status).toBe(200)
      store.clock.ms += 1_000
      expect((await fetch(url)).status).toBe(403)
    })

    it.each<[string, (url: URL) => void]>([
      ["a later expiry", (url) => url.searchParams.set("expires", String(Number(url.searchParams.get("expires")) + 1))],
      ["an expiry that is no number", (url) => url.searchParams.set("expires", "9e9")],
      ["another file name", (url) => url.searchParams.set("filename", "b.txt")],
      ["another content type", (url) => url.searchParams.set("type", "text/html")],
      ["no signature", (url) => url.searchParams.delete("signature")],
      ["an empty signature", (url) => url.searchParams.set("signature", "")],
      [
        "a shorter signature",
        (url) => url.searchParams.set("signature", `${url.searchParams.get("signature")}`.slice(0, -2)),
      ],
      ["another key", (url) => (url.pathname = `/blobs/${Buffer.from("s/2/a b.txt").toString("base64url")}`)],
    ])("are forbidden with %s", async (_, change) => {
      const url = await signed()
      change(url)
      expect((await fetch(url)).status).toBe(403)
    })

    it("go by the wall clock where another process timed them", async () => {
      const [mine, other] = ["mine", "other"].map((name) => ({ name, monotonic: () => 0 }))
      const timed = createFileBlobs({
        ...{ directory: join(store.parent, "timed"), publicUrl: "http://127.0.0.1", signingKey },
        ...{ timer: mine, now: () => 0 },
      })
      const url = new URL(await timed.signedUrl("a", { expiresInSeconds: 60, filename: "a" }))
      timed.close()
      const verify = (timer: typeof mine, ms: number) =>
        verifySignedBlob({ signingKey, timer, now: () => ms }, url.pathname + url.search)
      expect(verify(mine, HOUR_MS)).toMatchObject({ key: "a" })
      expect(verify(other, 59_000)).toMatchObject({ key: "a" })
      expect(() => verify(other, 60_000)).toThrow(/expired/)
    })

    it("are forbidden if another key signed them", async () => {
      const url = await signed()
      const other = { signingKey: new Uint8Array(32).fill(8), now: () => store.clock.ms }
      expect(() => verifySignedBlob(other, url.pathname + url.search)).toThrow(
        expect.objectContaining({ code: "forbidden" }),
      )
    })

    it.each(["/", "/blob/x", "/blobsx", "//", "http://["])("are not found at %s", (path) => {
      const verify = () => verifySignedBlob({ signingKey, now: () => 0 }, path)
      expect(verify).toThrow(expect.objectContaining({ code: "not_found" }))
    })
  })

  it("are kept apart from files that others put there", async () => {
    await store.blobs.put("a", Buffer.from("1"))
    await writeFile(join(store.directory, "files", "stray"), "x")
    expect((await Array.fromAsync(store.blobs.list(""))).map((blob) => blob.key)).toEqual(["a"])
  })
})
