import {
  CopyObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
  type S3Client,
} from "@aws-sdk/client-s3"
import { RETIRED } from "./retired.ts"

/**
 * Marks assets of earlier builds, each once, so that older open pages still find them for a month. If a later build has
 * an asset again, it is uploaded without the mark. Returns the number of newly marked assets.
 *
 * Each asset is copied onto itself, because S3 counts days from the last write. A rule by age alone would delete the
 * assets of an installation without a deployment for a month.
 */
export async function retireAssets(
  { client, bucket }: { client: S3Client; bucket: string },
  current: ReadonlySet<string>,
): Promise<number> {
  let marked = 0
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: "assets/" })) {
    for (const { Key = "" } of Contents) {
      if (current.has(Key) || (await isRetired(client, bucket, Key))) continue
      await retire(client, bucket, Key)
      marked++
    }
  }
  return marked
}

async function isRetired(client: S3Client, Bucket: string, Key: string): Promise<boolean> {
  const { TagSet = [] } = await client.send(new GetObjectTaggingCommand({ Bucket, Key }))
  return TagSet.some(({ Key }) => Key === RETIRED.key)
}

async function retire(client: S3Client, Bucket: string, Key: string): Promise<void> {
  const { ContentType, CacheControl } = await client.send(new HeadObjectCommand({ Bucket, Key }))
  await client.send(
    new CopyObjectCommand({
      ...{ Bucket, Key, ContentType, CacheControl },
      CopySource: `${Bucket}/${Key.split("/").map(encodeURIComponent).join("/")}`,
      // S3 refuses a copy onto itself that only changes tags.
      MetadataDirective: "REPLACE",
      TaggingDirective: "REPLACE",
      Tagging: `${RETIRED.key}=${RETIRED.value}`,
    }),
  )
}
