import { join } from "node:path"
import type { S3ClientConfig } from "@aws-sdk/client-s3"
import type { Blobs } from "./blobs.ts"
import { createLazyBlobs } from "./lazy-blobs.ts"
import type { Records } from "./records.ts"
import { type BlobLinks, signedBlobUrl } from "./signed-blobs.ts"

/**
 * Names of the table and the bucket. The SDK reads endpoints, regions and keys from AWS's own environment variables.
 */
export interface StoreServices {
  /** Table in DynamoDB or a compatible service. */
  table?: string | undefined
  /** Bucket in S3 or a compatible service. */
  bucket?: string | undefined
  /** True if URLs contain the bucket's name in their path instead of in their host. */
  pathStyle?: boolean
  /** Credentials for both services. Default to the credentials in the environment. */
  credentials?: NonNullable<S3ClientConfig["credentials"]>
}

/**
 * Data folder of a local server, for stores that aren't in a service. Links point to the server instead of a bucket.
 */
export interface StoreFolder extends BlobLinks {
  path: string
}

export interface Stores {
  records: Records
  blobs: Blobs
  close(): void
  /** Returns unused space to the disk. */
  shrink(): void
}

interface OnDisk {
  close?(): void
  shrink?(): void
}

/** Opens records and blobs. Without a folder, both must be in services. Loads only the adapters that are needed. */
export async function openStores(services: StoreServices, folder?: StoreFolder): Promise<Stores> {
  const records = await openRecords(services, folder)
  try {
    const blobs = await openBlobs(services, folder)
    return {
      records,
      blobs,
      close() {
        records.close?.()
        blobs.close?.()
      },
      shrink() {
        records.shrink?.()
        blobs.shrink?.()
      },
    }
  } catch (error) {
    records.close?.()
    throw error
  }
}

async function openRecords({ table, credentials }: StoreServices, folder?: StoreFolder): Promise<Records & OnDisk> {
  if (table !== undefined) {
    const { createDynamoClient, createDynamoRecords } = await import("./dynamo.ts")
    return createDynamoRecords({ client: createDynamoClient(credentials && { credentials }), table })
  }
  if (!folder) throw new Error("No record storage is configured: set a table or a folder.")
  const { createSqliteRecords } = await import("./sqlite.ts")
  return createSqliteRecords({ file: join(folder.path, "records.sqlite"), now: folder.now })
}

async function openBlobs(services: StoreServices, folder?: StoreFolder): Promise<Blobs & OnDisk> {
  const { bucket, pathStyle = false, credentials } = services
  if (bucket !== undefined) {
    const blobs = createLazyBlobs(async () => {
      const { createS3Blobs, createS3Client, createS3PresignClient } = await import("./s3.ts")
      const config = { forcePathStyle: pathStyle, ...(credentials && { credentials }) }
      return createS3Blobs({ client: createS3Client(config), presignClient: createS3PresignClient(config), bucket })
    })
    // Create links to the server instead of the bucket. They contain the content type, so the server doesn't have to
    // look it up in the bucket.
    return folder ? { ...blobs, signedUrl: async (key, options) => signedBlobUrl(folder, key, options) } : blobs
  }
  if (!folder) throw new Error("No blob storage is configured: set a bucket or a folder.")
  const { createFileBlobs } = await import("./files.ts")
  return createFileBlobs({ directory: join(folder.path, "blobs"), ...folder })
}
