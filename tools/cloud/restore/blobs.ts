import { DeleteObjectCommand, ListObjectVersionsCommand, type S3Client } from "@aws-sdk/client-s3"

/**
 * Restores files deleted since the given time, by removing S3's delete markers. Files never change, so nothing else
 * needs to be restored. Returns the number of restored files.
 */
export async function undeleteBlobs(
  { client, bucket }: { client: S3Client; bucket: string },
  since: Date,
): Promise<number> {
  let count = 0
  let next: { KeyMarker?: string; VersionIdMarker?: string } = {}
  for (;;) {
    const page = await client.send(new ListObjectVersionsCommand({ Bucket: bucket, ...next }))
    for (const { Key, VersionId, LastModified } of page.DeleteMarkers ?? []) {
      if (!LastModified || LastModified <= since) continue
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key, VersionId }))
      count++
    }
    if (!page.IsTruncated) return count
    next = { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker }
  }
}
