import {
  DeleteObjectCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3"
import { awsTime } from "@switchyard/core/storage/aws-clock"

interface LockDeps {
  client: S3Client
  region: string
  stage: string
}

const LIFE_MS = 2 * 60_000

/**
 * Does the work unless another deployment of the stage makes its secrets: of two first ones, the second would replace the master
 * key with which the first one's stage seals. The lock is an object beside SST's state. One that was killed keeps others out for
 * two minutes.
 */
export async function underSecretLock<T>({ client, region, stage }: LockDeps, work: () => Promise<T>): Promise<T> {
  const at = { Bucket: await stateBucket(client, region), Key: `switchyard/${stage}.secrets-lock` }
  if (!(await put({ IfNoneMatch: "*" }))) await takeOver()
  try {
    return await work()
  } finally {
    // It would cost the only sight of what was made under it.
    await client.send(new DeleteObjectCommand(at)).catch((error) => {
      console.error(`The lock of the secrets stays for two minutes: ${error instanceof Error ? error.message : error}`)
    })
  }

  async function put(condition: { IfNoneMatch: string } | { IfMatch: string }): Promise<boolean> {
    const command = new PutObjectCommand({ ...at, ...condition, Body: crypto.randomUUID() })
    return client.send(command).then(
      () => true,
      (error) => {
        if (!isOutrun(error)) throw error
        return false
      },
    )
  }

  async function takeOver(): Promise<void> {
    const { ETag, LastModified } = await client.send(new HeadObjectCommand(at))
    const isLeft = LastModified !== undefined && awsTime(client).getTime() - LastModified.getTime() > LIFE_MS
    if (isLeft && ETag && (await put({ IfMatch: ETag }))) return
    throw new Error(
      `Another deployment of ${stage} is making its secrets. Nothing was changed: try again when that is done, or in two minutes if it was broken off.`,
    )
  }
}

/** SST's own bucket, of which an account has one a region. Throws where it can't be found. */
async function stateBucket(client: S3Client, region: string): Promise<string> {
  const command = new ListBucketsCommand({ Prefix: "sst-state-", BucketRegion: region, MaxBuckets: 100 })
  const { Buckets = [] } = await client.send(command)
  const [name] = Buckets.flatMap(({ Name, BucketRegion = region }) =>
    Name && BucketRegion === region ? Name : [],
  ).sort()
  if (!name) throw new Error(`SST's bucket in ${region} isn't found, without which no secrets are made.`)
  return name
}

function isOutrun(error: unknown): boolean {
  return error instanceof Error && /^(PreconditionFailed|ConditionalRequestConflict)$/.test(error.name)
}
