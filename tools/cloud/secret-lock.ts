import { DeleteObjectCommand, HeadObjectCommand, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3"
import { awsTime } from "@switchyard/core/storage/aws-clock"
import { findBucket } from "./find-bucket.ts"

interface LockDeps {
  client: S3Client
  region: string
  stage: string
}

const LIFE_MS = 2 * 60_000

/**
 * Does the work unless another deployment of the stage is generating its secrets. If two first deployments ran at once,
 * the second would replace the master key that the first one's stage already uses. The lock is an object next to SST's
 * state. If a deployment is killed, others are blocked for two minutes.
 */
export async function underSecretLock<T>({ client, region, stage }: LockDeps, work: () => Promise<T>): Promise<T> {
  const at = { Bucket: await stateBucket(client, region), Key: `switchyard/${stage}.secrets-lock` }
  if (!(await put({ IfNoneMatch: "*" }))) await takeOver()
  try {
    return await work()
  } finally {
    // A failure must not hide the secrets generated under the lock, which are shown only once.
    await client.send(new DeleteObjectCommand(at)).catch((error) => {
      console.error(`The secrets stay locked for two minutes: ${error instanceof Error ? error.message : error}`)
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
      `Another deployment of ${stage} is generating its secrets. Nothing was changed. Try again when it is done, or in two minutes if it was interrupted.`,
    )
  }
}

/** Finds SST's state bucket. Throws if there is none. */
async function stateBucket(client: S3Client, region: string): Promise<string> {
  const name = await findBucket(client, "sst-state-")
  if (!name) throw new Error(`SST's bucket in ${region} doesn't exist. Secrets can't be generated without it.`)
  return name
}

function isOutrun(error: unknown): boolean {
  return error instanceof Error && /^(PreconditionFailed|ConditionalRequestConflict)$/.test(error.name)
}
