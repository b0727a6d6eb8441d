import { fork } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { isAppError } from "@switchyard/core/errors"
import { type Blobs, readAll } from "@switchyard/core/storage/blobs"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

export interface BlobStore {
  blobs: Blobs
  /** Arguments of `flood-blobs.ts`, which opens this store in another process. */
  floodArgs: string[]
  /** False for an emulator that doesn't list keys in byte order, which S3 documents. */
  listsInByteOrder: boolean
  /** False for an emulator that ignores the response headers set in a signed URL. */
  answersSignedHeaders: boolean
  /** Status of a signed URL for a missing blob, if not 404. S3 answers 403 if the signer may not list the bucket. */
  missingStatus?: 403
  close(): Promise<void>
}

/**
 * Registers the tests that every implementation of `Blobs` must pass. `open` resolves to an empty store that serves its
 * signed URLs.
 */
export function blobsContract(name: string, open: () => Promise<BlobStore>) {
  describe(`blobs contract: ${name}`, () => {
    let store: BlobStore
    let blobs: Blobs
    let prefixes = 0

    beforeAll(async () => {
      store = await open()
      blobs = store.blobs
    })
    afterAll(() => store?.close())

    const newPrefix = () => `s/${++prefixes}/`
    const newKey = () => `${newPrefix()}blob`

    async function text(key: string, range?: { start: number; end?: number }): Promise<string | undefined> {
      const found = await blobs.get(key, { range })
      return found && (await readAll(found)).toString()
    }
    const keys = async (prefix: string) => (await Array.fromAsync(blobs.list(prefix))).map((blob) => blob.key)

    describe("a blob", () => {
      it("is undefined until it is put", async () => {
        expect(await blobs.get(newKey())).toBeUndefined()
        expect(await blobs.head(newKey())).toBeUndefined()
      })

      it.each([
        ["bytes", Buffer.from("hello"), "hello"],
        ["no bytes", new Uint8Array(), ""],
        ["a stream", streamOf("he", "", "llo"), "hello"],
        ["an empty stream", streamOf(), ""],
      ])("is put from %s", async (_, source, expected) => {
        const key = newKey()
        expect(await blobs.put(key, source)).toBe(expected.length)
        expect(await text(key)).toBe(expected)
        const info = await blobs.head(key)
        expect(info).toEqual({ key, sizeBytes: expected.length, modifiedAt: expect.any(Number) })
        expect(Math.abs((info?.modifiedAt ?? 0) - Date.now())).toBeLessThan(60_000)
      })

      it.each([
        ["bytes", (bytes: Uint8Array) => bytes],
        ["a stream of unknown length", (bytes: Uint8Array) => slices(bytes, 1_000_003)],
      ])("of 20 MB comes back to the byte, put from %s", async (_, source) => {
        const key = newKey()
        const bytes = noise(20_000_001)
        expect(await blobs.put(key, source(bytes))).toBe(bytes.length)
        const found = await blobs.get(key)
        expect(found && (await readAll(found)).equals(bytes)).toBe(true)
      })

      it("is copied, whatever is in its key, and stays where it was", async () => {
        const [from, to] = [`${newPrefix()}a ü+%2F?&=.txt`, newKey()]
        await blobs.put(from, Buffer.from("copied"), { contentType: "text/plain" })
        await blobs.put(to, Buffer.from("an older one"))
        expect(await blobs.copy(from, to)).toBe(true)
        await blobs.put(from, Buffer.from("changed"))
        expect([await text(from), await text(to)]).toEqual(["changed", "copied"])
        expect(await blobs.copy(newKey(), to)).toBe(false)
        expect(await text(to)).toBe("copied")
      })

      it("is replaced whole", async () => {
        const key = newKey()
        await blobs.put(key, Buffer.from("a long first version"))
        await blobs.put(key, Buffer.from("second"))
        expect(await text(key)).toBe("second")
        expect(await blobs.head(key)).toMatchObject({ sizeBytes: 6 })
      })

      it("is one writer's, whole, after many wrote at once", async () => {
        const key = newKey()
        const versions = Array.from({ length: 20 }, (_, index) => String(index % 10).repeat(10_000 + index))
        await Promise.all(
          versions.map((version) => blobs.put(key, streamOf(version.slice(0, 5000), version.slice(5000)))),
        )
        const found = (await text(key)) ?? ""
        expect(versions).toContain(found)
        expect(await blobs.head(key)).toMatchObject({ sizeBytes: found.length })
      })

      it("is read to its end by who began before it was replaced and removed", async () => {
        const key = newKey()
        const bytes = noise(3_000_000)
        await blobs.put(key, bytes)
        const read: Uint8Array[] = []
        for await (const chunk of (await blobs.get(key)) ?? []) {
          if (read.length === 0) {
            await blobs.put(key, Buffer.from("other"))
            await blobs.remove(key)
          }
          read.push(chunk)
        }
        expect(Buffer.concat(read).equals(bytes)).toBe(true)
        expect(await blobs.get(key)).toBeUndefined()
      })

      it("may be left early, again and again", async () => {
        const key = newKey()
        await blobs.put(key, noise(2_000_000))
        for (let n = 0; n < 80; n++) {
          for await (const chunk of (await blobs.get(key)) ?? []) {
            expect(chunk.length).toBeGreaterThan(0)
            break
          }
        }
        expect(await blobs.head(key)).toMatchObject({ sizeBytes: 2_000_000 })
      })

      it("passes 200 MB through a put and a get with flat memory", async () => {
        const child = fork(new URL("flood-blobs.ts", import.meta.url), store.floodArgs)
        const [flood] = (await Promise.race([once(child, "message"), once(child, "exit")])) as [
          { sizeBytes: number; same: boolean; grownMb: number },
        ]
        expect(flood).toMatchObject({ sizeBytes: 200 * 1024 * 1024, same: true })
        expect(flood.grownMb).toBeLessThan(100)
      })
    })

    describe("a source that fails", () => {
      const small = [Buffer.from("new")]
      const large = Array.from({ length: 12 }, () => noise(1024 * 1024))

      it.each([
        ["soon", small],
        ["late", large],
      ])("%s leaves what stood at the key, and its own error", async (_, chunks) => {
        const key = newKey()
        const failure = new Error("the source broke")
        async function* source() {
          yield* chunks
          throw failure
        }
        await expect(blobs.put(key, source())).rejects.toBe(failure)
        expect(await keys(key)).toEqual([])
        await blobs.put(key, Buffer.from("old"))
        await expect(blobs.put(key, source())).rejects.toBe(failure)
        expect(await text(key)).toBe("old")
      })

      it.each([
        ["soon", small],
        ["late", large],
      ])("%s by an abort, even one that it doesn't listen to, leaves what stood at the key", async (_, chunks) => {
        const key = newKey()
        await blobs.put(key, Buffer.from("old"))
        const abort = new AbortController()
        async function* source() {
          yield* chunks
          queueMicrotask(() => abort.abort(new Error("enough")))
          await new Promise(() => {})
        }
        await expect(blobs.put(key, source(), { signal: abort.signal })).rejects.toThrow("enough")
        expect(await text(key)).toBe("old")
      })

      it("is closed when its put is aborted", async () => {
        const abort = new AbortController()
        let closed = false
        async function* source() {
          try {
            for (const chunk of large) {
              yield chunk
              abort.abort(new Error("enough"))
            }
          } finally {
            closed = true
          }
        }
        await expect(blobs.put(newKey(), source(), { signal: abort.signal })).rejects.toThrow("enough")
        expect(closed).toBe(true)
      })
    })

    describe("a range", () => {
      it("is what a slice of the bytes is", async () => {
        const key = newKey()
        const bytes = "0123456789"
        await blobs.put(key, Buffer.from(bytes))
        const position = fc.nat({ max: 14 })
        await fc.assert(
          fc.asyncProperty(position, fc.option(position, { nil: undefined }), async (start, length) => {
            const end = length === undefined ? undefined : start + length
            expect(await text(key, { start, end })).toBe(bytes.slice(start, end === undefined ? undefined : end + 1))
          }),
          {
            numRuns: 60,
            examples: [
              [0, 0],
              [9, 0],
              [10, undefined],
              [9, undefined],
              [0, 14],
            ],
          },
        )
      })

      it("of an empty blob is empty, and of no blob undefined", async () => {
        const key = newKey()
        await blobs.put(key, new Uint8Array())
        expect(await text(key, { start: 0 })).toBe("")
        expect(await text(newKey(), { start: 0 })).toBeUndefined()
      })

      it("reaches into a large blob", async () => {
        const key = newKey()
        const bytes = noise(20_000_000)
        await blobs.put(key, bytes)
        const found = await blobs.get(key, { range: { start: 8_388_600, end: 16_777_300 } })
        expect(found && (await readAll(found)).equals(bytes.subarray(8_388_600, 16_777_301))).toBe(true)
      })

      it.each([{ start: -1 }, { start: 2, end: 1 }, { start: 0.5 }])("is refused if it is %o", async (range) => {
        await expectRefused(blobs.get(newKey(), { range }))
      })
    })

    describe("a list", () => {
      it("holds what begins with the prefix, to the character", async () => {
        const prefix = newPrefix()
        for (const rest of ["a/b", "a/b/c", "a/bc", "a/B", "a", "ab"]) await blobs.put(prefix + rest, Buffer.from(rest))
        const rests = async (under: string) =>
          (await keys(prefix + under)).map((key) => key.slice(prefix.length)).toSorted()
        expect(await rests("a/b")).toEqual(["a/b", "a/b/c", "a/bc"])
        expect(await rests("a/b/")).toEqual(["a/b/c"])
        expect(await rests("a/")).toEqual(["a/B", "a/b", "a/b/c", "a/bc"])
        expect(await rests("")).toHaveLength(6)
        expect(await rests("b")).toEqual([])
        const [found] = await Array.fromAsync(blobs.list(`${prefix}a/bc`))
        expect(found).toEqual({ key: `${prefix}a/bc`, sizeBytes: 4, modifiedAt: expect.any(Number) })
      })

      it("is in order of the keys' UTF-8 bytes", async () => {
        const character = fc.oneof(
          fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
          fc.constantFrom("a", "B", "~", "%", "\u00a0", "\ud7ff", "\ue000", "\ufffd", "\u{10000}", "😀", "\u{10ffff}"),
        )
        const name = fc.array(character, { minLength: 1, maxLength: 4 }).map((characters) => `k${characters.join("")}`)
        await fc.assert(
          fc.asyncProperty(fc.uniqueArray(name, { maxLength: 10 }), async (names) => {
            const prefix = newPrefix()
            for (const rest of names) await blobs.put(prefix + rest, Buffer.from(rest))
            const expected = names.map((rest) => prefix + rest).toSorted(bytewise)
            const found = await keys(prefix)
            expect(store.listsInByteOrder ? found : found.toSorted(bytewise)).toEqual(expected)
          }),
          { numRuns: 25 },
        )
      })

      it("goes on beyond a page, and a removal takes every one of 2,500 and no other", async () => {
        const prefix = newPrefix()
        const names = Array.from({ length: 2500 }, (_, index) => `${prefix}many/${index}`)
        await inTurns(names, 50, (key) => blobs.put(key, Buffer.from("x")))
        await blobs.put(`${prefix}many`, Buffer.from("beside"))
        await blobs.put(`${prefix}many0`, Buffer.from("beside"))
        expect(new Set(await keys(`${prefix}many/`)).size).toBe(2500)
        await blobs.remove(`${prefix}many/`)
        expect(await keys(prefix)).toEqual([`${prefix}many`, `${prefix}many0`])
      })

      it("may be left early, and removed from by who reads it", async () => {
        const prefix = newPrefix()
        for (const rest of ["a", "b", "c"]) await blobs.put(prefix + rest, Buffer.from(rest))
        for await (const blob of blobs.list(prefix)) {
          await blobs.remove(blob.key)
          if (blob.key.endsWith("b")) break
        }
        expect(await keys(prefix)).toEqual([`${prefix}c`])
      })
    })

    describe("a removal", () => {
      it("of what isn't there succeeds", async () => {
        await blobs.remove(newPrefix())
      })

      it("of everything is refused", async () => {
        await expectRefused(blobs.remove(""))
      })
    })

    describe("a key", () => {
      const hostile = [
        "/etc/passwd",
        "//double//slash/",
        "%2e%2e/%2e%2e/x",
        "%00",
        "..%2f..%2fx",
        ".../x",
        "..x/.y",
        "C:\\Windows\\x",
        "a b+c&d=e?f#g;h,i@j$k",
        "~root",
        "*'()!<>\"|`",
        "é",
        "e\u0301",
        "A",
        "a",
        "😀/\u{10ffff}",
        "CON",
        " leading and trailing ",
        "x".repeat(890),
        "é".repeat(445),
      ]

      it("may be hostile, and each is its own", async () => {
        const prefix = newPrefix()
        for (const rest of hostile) await blobs.put(prefix + rest, Buffer.from(`of ${rest}`))
        for (const rest of hostile) {
          expect(await text(prefix + rest)).toBe(`of ${rest}`)
          expect(await (await fetch(await signed(prefix + rest))).text()).toBe(`of ${rest}`)
        }
        expect((await keys(prefix)).toSorted(bytewise)).toEqual(hostile.map((rest) => prefix + rest).toSorted(bytewise))
        await blobs.remove(prefix)
        expect(await keys(prefix)).toEqual([])
      })

      it.each([
        ["empty", ""],
        ["longer than 900 bytes", `${"é".repeat(450)}x`],
        ["climbing", "a/../../b"],
        ["climbing from the start", "../x"],
        ["standing still", "a/./b"],
        ["holding a NUL", "a\0b"],
        ["holding a line break", "a\nb"],
        ["holding what XML can't", "a\uffff"],
        ["half a character", "a\ud83d"],
      ])("is refused everywhere if it is %s", async (_, key) => {
        await expectRefused(blobs.put(key, Buffer.from("x")))
        await expectRefused(blobs.get(key))
        await expectRefused(blobs.head(key))
        await expectRefused(blobs.signedUrl(key, { expiresInSeconds: 60, filename: "x" }))
      })
    })

    const signed = (key: string, options?: { filename?: string; contentType?: string }) =>
      blobs.signedUrl(key, { expiresInSeconds: 60, filename: "file.txt", ...options })

    describe("a signed URL", () => {
      it("gives the bytes to anyone", async () => {
        const key = newKey()
        const bytes = noise(1_000_000)
        await blobs.put(key, bytes)
        const url = await signed(key)
        const answer = await fetch(url)
        expect(answer.status).toBe(200)
        expect(bytes.equals(await answer.bytes())).toBe(true)
      })

      it.each([
        ["app.zip", "app.zip", "app.zip"],
        ['a"; filename="evil.exe', "a_; filename=_evil.exe", 'a"; filename="evil.exe'],
        ["../../etc/passwd", ".._.._etc_passwd", ".._.._etc_passwd"],
        ["one\r\nSet-Cookie: a=b", "one__Set-Cookie: a=b", "one__Set-Cookie: a=b"],
        ["Übung 100% 😀.txt", "_bung 100_ _.txt", "Übung 100% 😀.txt"],
        ["photo\u202egpj.exe", "photo_gpj.exe", "photo_gpj.exe"],
        ["it's (a) *file*\ud83d", "it's (a) *file*_", "it's (a) *file*\ufffd"],
        ["", "download", "download"],
      ])("offers a download named %j safely", async (filename, plain, full) => {
        const key = newKey()
        await blobs.put(key, Buffer.from("x"))
        const url = await signed(key, { filename })
        const answer = await fetch(url)
        expect(answer.status).toBe(200)
        const header = store.answersSignedHeaders
          ? answer.headers.get("content-disposition")
          : new URL(url).searchParams.get("response-content-disposition")
        const [, quoted, encoded] =
          /^attachment; filename="([ -~]*)"; filename\*=UTF-8''([\w.%~!#$&+^`|-]+)$/.exec(header ?? "") ?? []
        expect([quoted, decodeURIComponent(encoded ?? "")]).toEqual([plain, full])
      })

      it("carries the content type given with it, or else with the put", async () => {
        const key = newKey()
        await blobs.put(key, streamOf("x"), { contentType: "text/x-put" })
        expect((await fetch(await signed(key))).headers.get("content-type")).toBe("text/x-put")
        const url = await signed(key, { contentType: "text/x-signed" })
        const type = store.answersSignedHeaders
          ? (await fetch(url)).headers.get("content-type")
          : new URL(url).searchParams.get("response-content-type")
        expect(type).toBe("text/x-signed")
      })

      it("answers that there is no such blob", async () => {
        expect((await fetch(await signed(newKey()))).status).toBe(store.missingStatus ?? 404)
      })

      it.each([0, -1, 1.5, 7 * 24 * 3600 + 1])("is refused a life of %d seconds", async (expiresInSeconds) => {
        await expectRefused(blobs.signedUrl(newKey(), { expiresInSeconds, filename: "x" }))
      })
    })

    it("does nothing once its signal has been aborted", async () => {
      const key = newKey()
      await blobs.put(key, Buffer.from("old"))
      const signal = AbortSignal.abort()
      await expect(blobs.put(key, Buffer.from("new"), { signal })).rejects.toThrow()
      await expect(blobs.put(key, streamOf("new"), { signal })).rejects.toThrow()
      await expect(blobs.get(key, { signal })).rejects.toThrow()
      await expect(blobs.head(key, { signal })).rejects.toThrow()
      await expect(Array.fromAsync(blobs.list(key, { signal }))).rejects.toThrow()
      await expect(blobs.remove(key, { signal })).rejects.toThrow()
      expect(await text(key)).toBe("old")
    })

    it("stops a read when its signal is aborted", async () => {
      const key = newKey()
      await blobs.put(key, noise(20_000_000))
      const abort = new AbortController()
      const read = async () => {
        for await (const _ of (await blobs.get(key, { signal: abort.signal })) ?? []) abort.abort()
      }
      await expect(read()).rejects.toMatchObject({ name: "AbortError" })
    })
  })
}

/** Returns deterministic bytes in which no two 64 KiB blocks are equal. */
function noise(sizeBytes: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(sizeBytes / 65_536) }, (_, index) =>
    Buffer.alloc(65_536, createHash("sha256").update(String(index)).digest()),
  )
  return Buffer.concat(blocks).subarray(0, sizeBytes)
}

async function* streamOf(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text)
}

async function* slices(bytes: Uint8Array, sizeBytes: number) {
  for (let at = 0; at < bytes.length; at += sizeBytes) yield bytes.subarray(at, at + sizeBytes)
}

async function inTurns<T>(items: T[], atOnce: number, work: (item: T) => Promise<unknown>) {
  for (let at = 0; at < items.length; at += atOnce) await Promise.all(items.slice(at, at + atOnce).map(work))
}

function bytewise(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

async function expectRefused(call: Promise<unknown>) {
  await expect(call).rejects.toSatisfy((error) => isAppError(error, "validation_error"))
}
