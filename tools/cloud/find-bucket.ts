import { ListBucketsCommand, type S3Client } from "@aws-sdk/client-s3"

/** Finds the bucket in the client's region whose name begins with `prefix`. An account has at most one per region. */
export async function findBucket(client: S3Client, prefix: string): Promise<string | undefined> {
  const region = await client.config.region()
  const command = new ListBucketsCommand({ Prefix: prefix, BucketRegion: region, MaxBuckets: 100 })
  const { Buckets = [] } = await client.send(command)
  return Buckets.flatMap(({ Name, BucketRegion = region }) => (Name && BucketRegion === region ? Name : [])).sort()[0]
}
