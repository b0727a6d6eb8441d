import { ListBucketsCommand, type S3Client } from "@aws-sdk/client-s3"

/** Finds the bucket in the client's region whose name begins with `prefix`. An account has at most one per region. */
export async function findBucket(client: S3Client, prefix: string): Promise<string | undefined> {
  const region = await client.config.region()
  const command = new ListBucketsCommand({ Prefix: prefix, BucketRegion: region, MaxBuckets: 100 })
  const { Buckets = [] } = await client.send(command)
  return Buckets.flatMap(({ Name, BucketRegion = region }) => (Name && BucketRegion === region ? Name : [])).sort()[0]
}

/** Finds the bucket of a stage's studio. Throws if there is none in the client's region. */
export async function requireStudio(client: S3Client, stage: string): Promise<string> {
  const studio = await findBucket(client, `switchyard-${stage}-studiobucket-`)
  if (!studio) throw new Error(`There is no studio of ${stage} in this account and region.`)
  return studio
}
