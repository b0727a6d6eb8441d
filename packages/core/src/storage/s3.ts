import { addAbortSignal, Readable } from "node:stream"
import {
  CopyObjectCommand,
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

/**
 * Creates a client that only signs URLs. It doesn't sign the checksum that the SDK adds by default, because browsers
 * don't send it.
 */
export function createS3PresignClient(config: S3ClientConfig = {}): S3Client {
  return new S3Client({
    ...config,
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  })
}

/**
 * Creates the interface to blobs in a bucket, under their own keys. `list` relies on the order in general purpose
 * buckets, which is by the UTF-8 bytes of the keys. A signed URL expires early if the credentials that signed it do.
 * The bucket needs a lifecycle rule that removes the parts of abandoned uploads. The credentials need permission to
 * list the keys in use, because otherwise S3 reports missing objects as forbidden.
 */
export function createS3Blobs(deps: { client: S3Client; presignClient: S3Client; bucket: string }): Blobs {
  const { client, presignClient, bucket } = deps
  /**
   * True if the object is missing. If the client may only list part of the bucket, S3 also responds with 403 for
   * missing objects, so `isMissing` lists the key to find out.
   */
  async function isMissing(key: BlobKey, error: unknown, signal: AbortSignal | undefined): Promise<boolean> {
    if (!isForbidden(error)) return false
    const command = new ListObjectsV2Command({ Bucket: bucket, Prefix: key, MaxKeys: 1, EncodingType: "url" })
    const listed = await client.send(command, { abortSignal: signal }).catch(() => undefined)
    if (!listed) return false
    // The key itself sorts before all longer keys that begin with it.
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

    async copy(from, to, { signal } = {}) {
      checkBlobKey(from)
      checkBlobKey(to)
      // The header is a URL, so every character that could have a meaning there is encoded.
      const source = [bucket, ...from.split("/")].map(encodeURIComponent).join("/")
      const command = new CopyObjectCommand({ Bucket: bucket, Key: to, CopySource: source })
      try {
        await mapAwsErrors(client.send(command, { abortSignal: signal }))
        return true
      } catch (error) {
        if (isNamed(error, "NoSuchKey") || (await isMissing(from, error, signal))) return false
        throw error
      }
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
      // Use the time of `client`. The signing client sends no requests, so it doesn't know how far our clock is off.
      // With a wrong time, links could already be expired or not be valid yet.
      return getSignedUrl(presignClient, command, { expiresIn: expiresInSeconds, signingDate: awsTime(client) })
    },
  }
}

/**
 * Part size of an upload. S3 accepts at most 10,000 parts, which makes 78 GB in total. Up to 24 MB are in memory at a
 * time.
 */
const PART_BYTES = 8 * 1024 * 1024
const PARTS_AT_ONCE = 2

/**
 * Uploads a blob in parts. The object only appears when the upload is complete. An abort makes the source throw,
 * because the SDK's own abort returns before the uploaded parts are removed.
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
  // Load the module when the first large blob is uploaded, because nearly all blobs need only a single request.
  const { Upload } = await import("@aws-sdk/lib-storage")
  await mapAwsErrors(new Upload({ client, params, partSize: PART_BYTES, queueSize: PARTS_AT_ONCE }).done())
  return sizeBytes
}

async function* read(body: Readable, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  try {
    yield* signal ? addAbortSignal(signal, body) : body
  } catch (error) {
    if (signal?.aborted) throw error
    // The SDK gives this error no name, so recognise it by its message.
    if (error instanceof Error && error.message.startsWith("Checksum mismatch")) throw corrupt(error)
    throw unavailable(error)
  } finally {
    body.destroy()
  }
}

function corrupt(cause: Error): AppError {
  return new AppError("storage_unavailable", "The data from storage doesn't match its checksum.", {}, { cause })
}

async function* emptySource(): AsyncGenerator<Uint8Array> {}

async function* pages(client: S3Client, bucket: string, prefix: string, signal: AbortSignal | undefined) {
  let token: string | undefined
  do {
    // Request URL encoding, because XML can't represent every key. The response says whether S3 has applied it.
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

/** Removes blobs. Throws if S3 didn't remove all of them, because S3 responds with status 200 even then. */
async function removeAll(client: S3Client, bucket: string, blobs: BlobInfo[], signal: AbortSignal | undefined) {
  const command = new DeleteObjectsCommand({
    Bucket: bucket,
    Delete: { Objects: blobs.map(({ key }) => ({ Key: key })), Quiet: true },
  })
  const { Errors = [] } = await mapAwsErrors(client.send(command, { abortSignal: signal }))
  if (Errors.length === 0) return
  throw new AppError(
    "storage_unavailable",
    "Some blobs couldn't be removed.",
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
