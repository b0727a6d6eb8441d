import { DeleteObjectCommand, ListObjectVersionsCommand, type S3Client } from "@aws-sdk/client-s3"

/**
 * Brings back the files that were deleted since: it takes away the marks by which S3 hides them. Files are never changed, so this is all
 * that there is to bring back. Resolves to their number.
 */
export async function undeleteBlobs(
  { client, bucket }: { client: S3Client; bucket: string },
  since: Date,
): Promise<number> {
  let count = 0
  let next: { KeyMarker?: string; VersionIdMarker?: string } = {}
  for (;;) {
    const page = await client.send(new ListObjectVersionsCommand({ Bucket: bucket, Prefix: "s/", ...next }))
    for (const { Key, VersionId, LastModified } of page.DeleteMarkers ?? []) {
      if (!LastModified || LastModified <= since) continue
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key, VersionId }))
      count++
    }
    if (!page.IsTruncated) return count
    next = { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker }
  }
}
