import { createHash, randomBytes } from "node:crypto"
import type { Blobs } from "@switchyard/core/storage/blobs"
import { createFileBlobs } from "@switchyard/core/storage/files"
import { createS3Blobs, createS3Client, createS3PresignClient } from "@switchyard/core/storage/s3"

// Runs in its own process, so that the measured memory is the adapter's alone.
const MB = 1024 * 1024
const [kind, ...args] = process.argv.slice(2)
const blobs = kind === "s3" ? openS3() : openFiles()

let peak = 0

// Warm up first, so that one-time allocations aren't measured.
await pass(20)
const before = peak
process.send?.({ ...(await pass(200)), grownMb: Math.round((peak - before) / MB) })
process.disconnect?.()

async function pass(megabytes: number) {
  const [put, got] = [createHash("sha256"), createHash("sha256")]
  async function* source() {
    const random = randomBytes(MB)
    for (let n = 0; n < megabytes * 16; n++) {
      const chunk = Buffer.from(random.subarray((n % 16) * 65_536, ((n % 16) + 1) * 65_536))
      chunk.writeUInt32LE(n)
      put.update(chunk)
      peak = Math.max(peak, process.memoryUsage.rss())
      yield chunk
    }
  }
  const sizeBytes = await blobs.put("flood/blob", source())
  for await (const chunk of (await blobs.get("flood/blob")) ?? []) {
    got.update(chunk)
    peak = Math.max(peak, process.memoryUsage.rss())
  }
  return { sizeBytes, same: put.digest("hex") === got.digest("hex") }
}

function openFiles(): Blobs {
  const [directory = ""] = args
  return createFileBlobs({ directory, publicUrl: "http://localhost", signingKey: new Uint8Array(32) })
}

function openS3(): Blobs {
  const [endpoint, bucket = ""] = args
  const credentials = { accessKeyId: "test", secretAccessKey: "test" }
  const config = { endpoint, forcePathStyle: true, region: "eu-central-1", credentials }
  return createS3Blobs({ client: createS3Client(config), presignClient: createS3PresignClient(config), bucket })
}
