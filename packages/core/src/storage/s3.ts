import { addAbortSignal, Readable } from "node:stream"
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from "@aws-sdk/client-s3"
import { getSignedUrl } from "@aws-sdk/s3-request-presigner"
import { AppError } from "../errors.ts"
import { awsTime, repeatingOnlyWrongTimes } from "./aws-clock.ts"
import { renewingCredentials } from "./aws-credentials.ts"
import { mapAwsErrors, unavailable } from "./aws-errors.ts"
import { largeBodies } from "./aws-timeouts.ts"
import type { BlobInfo, BlobKey, Blobs } from "./blobs.ts"
import { chunksOf } from "./byte-source.ts"
import { attachment } from "./content-disposition.ts"
import { checkBlobKey, checkByteRange, checkPrefix, checkRemovedPrefix, checkUrlLife } from "./limits.ts"

export function createS3Client(config: S3ClientConfig = {}): S3Client {
  return repeatingOnlyWrongTimes(renewingCredentials(new S3Client({ requestHandler: largeBodies, ...config })))
}

/** A client that only signs URLs: by default the SDK signs a checksum into them, which no browser sends. */
export function createS3PresignClient(config: S3ClientConfig = {}): S3Client {
  return new S3Client({
    ...config,
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  })
}

/**
 * Blobs in a bucket, under their own keys. `list` relies on S3, which lists a general purpose bucket in the order of the
 * keys' UTF-8 bytes. A signed URL ends early if the credentials that signed it do.
 *
 * Two things belong to the bucket: a lifecycle rule that removes the parts of uploads whose writer died, and permission
 * to list, of the keys that are asked for at least, without which nobody can tell what isn't there from what is refused.
 */
export function createS3Blobs({
  client,
  presignClient,
  bucket,
}: {
  client: S3Client
  presignClient: S3Client
  bucket: string
}): Blobs {
  /** S3 answers 403, too, for what isn't there, to whoever may list only a part of the bucket. The list tells which it is. */
  async function isMissing(key: BlobKey, error: unknown, signal: AbortSignal | undefined): Promise<boolean> {
    if (!isForbidden(error)) return false
    const command = new ListObjectsV2Command({ Bucket: bucket, Prefix: key, MaxKeys: 1, EncodingType: "url" })
    const listed = await client.send(command, { abortSignal: signal }).catch(() => undefined)
    if (!listed) return false
    // Of all keys that begin with this one, it is the first.
    return decodeKey(listed.Contents?.[0]?.Key ?? "", listed.EncodingType) !== key
  }

  return {
    async put(key, source, { contentType, signal } = {}) {
      signal?.throwIfAborted()
      checkBlobKey(key)
      const object = { Bucket: bucket, Key: key, ContentType: contentType }
      if (source instanceof Uint8Array && source.byteLength <= PART_BYTES) {
        const command = new PutObjectCommand({ ...object, Body: source })
        await mapAwsErrors(client.send(command, { abortSignal: signal }))
        return source.byteLength
      }
      return upload(client, object, chunksOf(source, signal))
    },

    async get(key, { range, signal } = {}) {
      checkBlobKey(key)
      checkByteRange(range)
      const command = new GetObjectCommand({
        Bucket: bucket,
        Key: key,
        Range: range && `bytes=${range.start}-${range.end ?? ""}`,
      })
      try {
        const { Body } = await mapAwsErrors(client.send(command, { abortSignal: signal }))
        return read(Body as Readable, signal)
      } catch (error) {
        if (isNamed(error, "NoSuchKey")) return undefined
        if (isNamed(error, "InvalidRange")) return emptySource()
        if (await isMissing(key, error, signal)) return undefined
        throw error
      }
    },

    async head(key, { signal } = {}) {
      checkBlobKey(key)
      const command = new HeadObjectCommand({ Bucket: bucket, Key: key })
      try {
        const { ContentLength = 0, LastModified } = await mapAwsErrors(client.send(command, { abortSignal: signal }))
        return { key, sizeBytes: ContentLength, modifiedAt: LastModified?.getTime() ?? 0 }
      } catch (error) {
        if (isNamed(error, "NotFound") || (await isMissing(key, error, signal))) return undefined
        throw error
      }
    },

    async *list(prefix, { signal } = {}) {
      checkPrefix(prefix)
      for await (const page of pages(client, bucket, prefix, signal)) yield* page
    },

    async remove(prefix, { signal } = {}) {
      checkRemovedPrefix(prefix)
      for await (const page of pages(client, bucket, prefix, signal)) {
        if (page.length > 0) await removeAll(client, bucket, page, signal)
      }
    },

    async signedUrl(key, { expiresInSeconds, filename, contentType }) {
      checkBlobKey(key)
      checkUrlLife(expiresInSeconds)
      const command = new GetObjectCommand({
        Bucket: bucket,
        Key: key,
        ResponseContentDisposition: attachment(filename),
        ResponseContentType: contentType,
      })
      // The client that signs asks nothing, so it can't know by how much our clock is wrong: its links would be over, or not begun.
      return getSignedUrl(presignClient, command, { expiresIn: expiresInSeconds, signingDate: awsTime(client) })
    },
  }
}

/** S3 takes at most 10,000 parts: 78 GB in all, with 24 MB in memory at once. */
const PART_BYTES = 8 * 1024 * 1024
const PARTS_AT_ONCE = 2

/**
 * An object shows only when its upload completes. The SDK's own abort would return before its parts are gone, so an
 * abort comes as an error of the source, after which they are.
 */
async function upload(
  client: S3Client,
  object: { Bucket: string; Key: string },
  chunks: AsyncIterable<Uint8Array>,
): Promise<number> {
  let sizeBytes = 0
  async function* counted() {
    for await (const chunk of chunks) {
      sizeBytes += chunk.byteLength
      yield chunk
    }
  }
  const params = { ...object, Body: Readable.from(counted()) }
  // Loaded with the first upload that is large: nearly all blobs take a single request.
  const { Upload } = await import("@aws-sdk/lib-storage")
  await mapAwsErrors(new Upload({ client, params, partSize: PART_BYTES, queueSize: PARTS_AT_ONCE }).done())
  return sizeBytes
}

async function* read(body: Readable, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  try {
    yield* signal ? addAbortSignal(signal, body) : body
  } catch (error) {
    if (signal?.aborted) throw error
    // The SDK has no name for it, only these words.
    if (error instanceof Error && error.message.startsWith("Checksum mismatch")) throw corrupt(error)
    throw unavailable(error)
  } finally {
    body.destroy()
  }
}

function corrupt(cause: Error): AppError {
  return new AppError("storage_unavailable", "The data from the storage doesn't match its checksum.", {}, { cause })
}

async function* emptySource(): AsyncGenerator<Uint8Array> {}

async function* pages(client: S3Client, bucket: string, prefix: string, signal: AbortSignal | undefined) {
  let token: string | undefined
  do {
    // Encoded, because XML can't carry every key; S3 says in its answer whether it did.
    const command = new ListObjectsV2Command({
      Bucket: bucket,
      Prefix: prefix,
      EncodingType: "url",
      ContinuationToken: token,
    })
    const reply: ListObjectsV2CommandOutput = await mapAwsErrors(client.send(command, { abortSignal: signal }))
    yield (reply.Contents ?? []).map(
      (object): BlobInfo => ({
        key: decodeKey(object.Key ?? "", reply.EncodingType),
        sizeBytes: object.Size ?? 0,
        modifiedAt: object.LastModified?.getTime() ?? 0,
      }),
    )
    token = reply.NextContinuationToken
  } while (token)
}

function decodeKey(key: string, encoding: string | undefined): BlobKey {
  return encoding === "url" ? decodeURIComponent(key.replaceAll("+", " ")) : key
}

/** S3 answers 200 even if it kept some of the objects. */
async function removeAll(client: S3Client, bucket: string, blobs: BlobInfo[], signal: AbortSignal | undefined) {
  const command = new DeleteObjectsCommand({
    Bucket: bucket,
    Delete: { Objects: blobs.map(({ key }) => ({ Key: key })), Quiet: true },
  })
  const { Errors = [] } = await mapAwsErrors(client.send(command, { abortSignal: signal }))
  if (Errors.length === 0) return
  throw new AppError(
    "storage_unavailable",
    "Some blobs could not be removed.",
    { count: Errors.length },
    { cause: Errors },
  )
}

function isForbidden(error: unknown): boolean {
  const { httpStatusCode } = (error as { $metadata?: { httpStatusCode?: number } }).$metadata ?? {}
  return httpStatusCode === 403
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name
}
