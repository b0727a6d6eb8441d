import {
  CopyObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
  type S3Client,
} from "@aws-sdk/client-s3"
import { RETIRED } from "./retired.ts"

/**
 * Marks the assets that are not of this build, each once: whoever has an older page open still finds them for a month. An
 * asset that a later build has again is put anew, without the mark. Resolves to how many were marked now.
 *
 * A copy onto itself, for S3 counts the days from when an object was written: a rule by age alone would drop the assets of an
 * installation that nobody has deployed for a month.
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
      // S3 refuses a copy onto itself that changes nothing but tags.
      MetadataDirective: "REPLACE",
      TaggingDirective: "REPLACE",
      Tagging: `${RETIRED.key}=${RETIRED.value}`,
    }),
  )
}
