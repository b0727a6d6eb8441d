import { createLazyBlobs } from "@switchyard/core/storage/lazy-blobs"
import { createS3Blobs, createS3PresignClient } from "@switchyard/core/storage/s3"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { blobsContract } from "../../contracts/blobs.ts"
import { startS3 } from "../../emulators/s3.ts"

/** Opens S3 blobs lazily, as functions do. */
async function openS3() {
  const s3 = await startS3()
  const bucket = await s3.createBucket()
  const presignClient = createS3PresignClient(s3.config)
  const loads = { count: 0 }
  const blobs = createLazyBlobs(async () => {
    loads.count++
    return createS3Blobs({ client: s3.client, presignClient, bucket })
  })
  return { s3, bucket, blobs, loads }
}

blobsContract("S3", async () => {
  const { s3, bucket, blobs } = await openS3()
  return {
    blobs,
    floodArgs: ["s3", String(s3.config.endpoint), bucket],
    // The emulator sorts and pages by locale, but S3 by UTF-8 bytes. The adapter doesn't sort: sorting each page would
    // hide a wrong order without repairing it. `s3-faults` tests that the adapter keeps the order.
    listsInByteOrder: false,
    answersSignedHeaders: false,
    close: s3.stop,
  }
})

describe("blobs in S3", () => {
  let store: Awaited<ReturnType<typeof openS3>>
  beforeAll(async () => {
    store = await openS3()
  })
  afterAll(() => store.s3.stop())

  it("are opened once, with the first of them that is asked for", async () => {
    const { s3, blobs, loads } = await openS3()
    expect(loads.count).toBe(0)
    await Promise.all([blobs.put("a", Buffer.from("a")), blobs.head("b"), Array.fromAsync(blobs.list("s/"))])
    expect(loads.count).toBe(1)
    await s3.stop()
  })

  it("leave no parts behind when a source fails or is aborted", async () => {
    const abort = new AbortController()
    async function* source(end: () => unknown) {
      for (let n = 0; n < 20; n++) yield Buffer.alloc(1024 * 1024, n)
      await end()
    }
    const fail = () => Promise.reject(new Error("broken"))
    const hang = () => {
      abort.abort(new Error("aborted"))
      return new Promise(() => {})
    }
    store.s3.requests.length = 0
    await expect(store.blobs.put("a", source(fail))).rejects.toThrow("broken")
    await expect(store.blobs.put("b", source(hang), { signal: abort.signal })).rejects.toThrow("aborted")
    const asked = (part: RegExp) => store.s3.requests.filter((request) => part.test(request))
    expect(asked(/^POST .*\?uploads/)).toHaveLength(2)
    expect(asked(/^DELETE .*uploadId=/)).toHaveLength(2)
    expect(asked(/^PUT .*uploadId=/).length).toBeGreaterThanOrEqual(4)
    expect(store.s3.requests.at(-1)).toMatch(/^DELETE/)
  })

  it("are signed for as long as asked, without a checksum that no browser sends", async () => {
    // The emulator ignores the expiry.
    const url = new URL(await store.blobs.signedUrl("s/1/a b", { expiresInSeconds: 900, filename: "a.zip" }))
    expect(url.searchParams.get("X-Amz-Expires")).toBe("900")
    expect(url.searchParams.get("X-Amz-SignedHeaders")).toBe("host")
    expect([...url.searchParams.keys()].filter((name) => /checksum/i.test(name))).toEqual([])
    expect(url.pathname).toBe(`/${store.bucket}/s/1/a%20b`)
  })
})
