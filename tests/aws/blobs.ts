import { ListMultipartUploadsCommand } from "@aws-sdk/client-s3"
import { createS3Blobs, createS3PresignClient } from "@switchyard/core/storage/s3"
import { afterAll, describe, expect, it } from "vitest"
import { blobsContract } from "../contracts/blobs.ts"
import { connectS3 } from "../emulators/s3.ts"
import { connectAws } from "./connect.ts"

const { name, endpoint } = connectAws("eu-central-1")
const s3 = connectS3(endpoint)
afterAll(s3.close)

async function openBlobs() {
  const bucket = await s3.createBucket()
  return {
    bucket,
    blobs: createS3Blobs({ client: s3.client, presignClient: createS3PresignClient(s3.config), bucket }),
  }
}

// Unlike the emulator from npm, these emulators list in S3's order, and respect the headers in a signed URL.
blobsContract(`S3 on ${name}`, async () => {
  const { blobs, bucket } = await openBlobs()
  return {
    blobs,
    floodArgs: ["s3", endpoint, bucket],
    listsInByteOrder: true,
    answersSignedHeaders: true,
    ...(name === "Moto" && { missingStatus: 403 as const }),
    close: async () => {},
  }
})

describe(`blobs in S3 on ${name}`, () => {
  it("leave no upload open when a source fails late", async () => {
    const { blobs, bucket } = await openBlobs()
    async function* source() {
      for (let n = 0; n < 20; n++) yield Buffer.alloc(1024 * 1024, n)
      throw new Error("broken")
    }
    await expect(blobs.put("a", source())).rejects.toThrow("broken")
    const { Uploads = [] } = await s3.client.send(new ListMultipartUploadsCommand({ Bucket: bucket }))
    expect(Uploads).toEqual([])
  })
})
