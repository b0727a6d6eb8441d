import { Readable } from "node:stream"
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3ServiceException,
  UploadPartCommand,
} from "@aws-sdk/client-s3"
import { isAppError } from "@switchyard/core/errors"
import { createS3Blobs, createS3Client } from "@switchyard/core/storage/s3"
import { mockClient } from "aws-sdk-client-mock"
import { afterEach, describe, expect, it } from "vitest"
import { startS3 } from "../../emulators/s3.ts"

const unavailable = (error: unknown) => isAppError(error, "storage_unavailable")

const failure = (name: string, httpStatusCode?: number) =>
  new S3ServiceException({ name, $fault: "server", message: "no", $metadata: { httpStatusCode } })

async function* twentyMegabytes() {
  for (let n = 0; n < 20; n++) yield new Uint8Array(1024 * 1024)
}

describe("an S3 that answers with an error", () => {
  const client = createS3Client({ region: "eu-central-1", credentials: { accessKeyId: "a", secretAccessKey: "b" } })
  const mock = mockClient(client)
  const blobs = createS3Blobs({ client, presignClient: client, bucket: "b" })
  afterEach(() => mock.reset())

  it.each([
    ["too many requests", failure("SlowDown", 503)],
    ["its own failure", failure("InternalError", 500)],
    ["a request that came too slowly", failure("RequestTimeout", 400)],
    ["no answer", Object.assign(new Error("socket hang up"), { code: "ECONNRESET", $metadata: {} })],
  ])("is unavailable after %s, in every call, and says why", async (_, error) => {
    mock.rejects(error)
    const calls = [
      blobs.put("a", new Uint8Array(1)),
      blobs.put("a", twentyMegabytes()),
      blobs.get("a"),
      blobs.head("a"),
      Array.fromAsync(blobs.list("a")),
      blobs.remove("a"),
    ]
    for (const result of await Promise.allSettled(calls)) {
      expect(result).toMatchObject({ status: "rejected", reason: { code: "storage_unavailable", cause: error } })
    }
  })

  it("tells by a list what isn't there from what is refused, where only a part of the bucket may be listed", async () => {
    const refused = failure("AccessDenied", 403)
    mock.rejects(refused)
    mock.on(ListObjectsV2Command, { Prefix: "s/1/gone" }).resolves({ Contents: [{ Key: "s/1/gone.txt" }] })
    mock.on(ListObjectsV2Command, { Prefix: "s/1/none" }).resolves({})
    mock.on(ListObjectsV2Command, { Prefix: "s/1/kept" }).resolves({ Contents: [{ Key: "s/1/kept" }] })
    for (const key of ["s/1/gone", "s/1/none"]) {
      expect([await blobs.head(key), await blobs.get(key)]).toEqual([undefined, undefined])
    }
    for (const key of ["s/1/kept", "s/2/unlisted"]) {
      await expect(blobs.head(key)).rejects.toBe(refused)
      await expect(blobs.get(key)).rejects.toBe(refused)
    }
  })

  it.each([
    ["a refused permission", failure("AccessDenied", 403)],
    ["a missing bucket", failure("NoSuchBucket", 404)],
  ])("keeps the error of %s, which will not pass", async (_, error) => {
    mock.rejects(error)
    for (const call of [blobs.put("a", new Uint8Array(1)), blobs.get("a"), blobs.head("a"), blobs.remove("a")]) {
      await expect(call).rejects.toBe(error)
    }
  })

  it("removes the parts of an upload when one of them fails for good", async () => {
    mock.on(CreateMultipartUploadCommand).resolves({ UploadId: "u" })
    mock.on(UploadPartCommand).resolvesOnce({ ETag: "e" }).rejects(failure("InternalError", 500))
    await expect(blobs.put("a", twentyMegabytes())).rejects.toSatisfy(unavailable)
    expect(mock.commandCalls(AbortMultipartUploadCommand)[0]?.args[0].input).toMatchObject({ Key: "a", UploadId: "u" })
    expect(mock.commandCalls(CompleteMultipartUploadCommand)).toEqual([])
  })

  it("lets go of a source that it will not read to its end", async () => {
    mock.on(CreateMultipartUploadCommand).resolves({ UploadId: "u" })
    mock.on(UploadPartCommand).rejects(failure("InternalError", 500))
    const closed = Promise.withResolvers<number>()
    async function* source() {
      let megabytes = 0
      try {
        for (; ; megabytes++) yield new Uint8Array(1024 * 1024)
      } finally {
        closed.resolve(megabytes)
      }
    }
    await expect(blobs.put("a", source())).rejects.toSatisfy(unavailable)
    expect(await closed.promise).toBeLessThan(40)
  })

  it("says so when it removed some blobs but not all", async () => {
    mock.on(ListObjectsV2Command).resolves({ Contents: [{ Key: "a/1" }, { Key: "a/2" }] })
    mock.on(DeleteObjectsCommand).resolves({ Errors: [{ Key: "a/2", Code: "InternalError" }] })
    await expect(blobs.remove("a/")).rejects.toSatisfy(unavailable)
  })

  it("does not ask to remove nothing, which S3 refuses", async () => {
    mock.on(ListObjectsV2Command).resolves({})
    await blobs.remove("a/")
    expect(mock.commandCalls(DeleteObjectsCommand)).toEqual([])
  })

  it("is told from a blob that isn't there", async () => {
    mock.on(GetObjectCommand).rejects(new NoSuchKey({ message: "no", $metadata: { httpStatusCode: 404 } }))
    expect(await blobs.get("a")).toBeUndefined()
  })

  it("fails a read whose connection breaks", async () => {
    async function* broken() {
      yield Buffer.from("half")
      throw Object.assign(new Error("aborted"), { code: "ECONNRESET" })
    }
    mock.on(GetObjectCommand).resolves({ Body: Readable.from(broken()) as never })
    await expect(Array.fromAsync((await blobs.get("a")) ?? [])).rejects.toSatisfy(unavailable)
  })

  it("lists in the order of its pages, with keys decoded if it says that they are encoded", async () => {
    mock.on(ListObjectsV2Command).resolves({
      Contents: [{ Key: "a%2Fc+d%25", Size: 2 }, { Key: "%F0%9F%98%80" }],
      EncodingType: "url",
    })
    mock
      .on(ListObjectsV2Command, { ContinuationToken: undefined })
      .resolves({ Contents: [{ Key: "a/B" }, { Key: "a+b%20" }], NextContinuationToken: "t" })
    const found = await Array.fromAsync(blobs.list(""))
    expect(found.map((blob) => blob.key)).toEqual(["a/B", "a+b%20", "a/c d%", "😀"])
    expect(mock.commandCalls(ListObjectsV2Command).map((call) => call.args[0].input.ContinuationToken)).toEqual([
      undefined,
      "t",
    ])
  })

  it("gets bytes in one request and a stream of unknown length in parts", async () => {
    mock.on(CreateMultipartUploadCommand).resolves({ UploadId: "u" })
    mock.on(UploadPartCommand).resolves({ ETag: "e" })
    await blobs.put("a", new Uint8Array(1024), { contentType: "text/plain" })
    await blobs.put("b", twentyMegabytes(), { contentType: "text/plain" })
    expect(mock.commandCalls(PutObjectCommand)[0]?.args[0].input).toMatchObject({ Key: "a", ContentType: "text/plain" })
    expect(mock.commandCalls(CreateMultipartUploadCommand)[0]?.args[0].input).toMatchObject({
      ContentType: "text/plain",
    })
    expect(mock.commandCalls(UploadPartCommand)).toHaveLength(3)
  })
})

describe("an S3 reply that is lost", () => {
  it("is asked for again, and the put has happened once", async () => {
    const s3 = await startS3()
    const bucket = await s3.createBucket()
    const { requestHandler } = s3.client.config
    const handle = requestHandler.handle.bind(requestHandler)
    let lost = 0
    requestHandler.handle = async (request, options) => {
      const reply = await handle(request, options)
      if (request.method !== "PUT" || lost++ > 0) return reply
      throw Object.assign(new Error("socket hang up"), { name: "TimeoutError", code: "ECONNRESET" })
    }
    const blobs = createS3Blobs({ client: s3.client, presignClient: s3.client, bucket })
    expect(await blobs.put("a", Buffer.from("once"))).toBe(4)
    expect(lost).toBe(2)
    expect(await Array.fromAsync(blobs.list(""))).toMatchObject([{ key: "a", sizeBytes: 4 }])
    await s3.stop()
  })
})
