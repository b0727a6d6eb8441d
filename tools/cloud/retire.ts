import {
  CopyObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
  type S3Client,
} from "@aws-sdk/client-s3"
import { RETIRED } from "./retired.ts"

/**
 * Marks the assets of earlier builds, once each, so that pages that are still open find them for another month. If a
 * later build contains an asset again, it is uploaded without the mark. Returns the number of newly marked assets.
 *
 * Each asset is copied onto itself, because S3 counts days from the last write. If deletion only depended on age, an
 * installation that isn't deployed for a month would lose its assets.
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
      // S3 refuses to copy an object onto itself if only the tags change.
      MetadataDirective: "REPLACE",
      TaggingDirective: "REPLACE",
      Tagging: `${RETIRED.key}=${RETIRED.value}`,
    }),
  )
}
