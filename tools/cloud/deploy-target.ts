import { existsSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { ListBucketsCommand } from "@aws-sdk/client-s3"
import { createS3Client } from "@switchyard/core/storage/s3"
import { callerAccount } from "@switchyard/functions/aws/caller"
import { findAccount } from "./account.ts"
import type { Finding } from "./finding.ts"

/** An AWS account and region, for example 123456789012/eu-central-1. */
export type DeployTarget = `${string}/${string}`

const ANSWER_WITHIN_MS = 15_000
/** Setting that stores where the stage was last deployed. */
const SETTING = "DEPLOYED_TO"

/**
 * Checks that the current credentials and region are the stage's, because deploying elsewhere would create a second,
 * empty stage. `intended` is the place that the operator named for this deployment.
 */
export async function examineTarget(
  stage: string,
  region: string,
  intended?: string,
): Promise<{ place: DeployTarget; finding: Finding }> {
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS)
  const place: DeployTarget = `${await callerAccount(region, { signal })}/${region}`
  const finding = (kind: Finding["kind"], says: string, commands: string[] = []) => ({
    place,
    finding: { kind, says, commands },
  })
  const inUse = `the current credentials and region are for ${place}`
  if (intended) {
    if (intended === place) return finding("fine", `${stage} is deployed to ${place}, as requested.`)
    return finding("missing", `--place says ${intended}, but ${inUse}.`)
  }
  const known = process.env[SETTING] ?? (await elsewhere(stage, place, signal))
  if (known && known !== place) {
    const onPurpose = `npm run deploy -- --stage ${stage} --place ${place}   # to deliberately deploy another ${stage} here`
    return finding("missing", `${stage} was deployed to ${known}, but ${inUse}.`, [onPurpose])
  }
  return finding("fine", `The account and region are ${place}.`)
}

/** Throws unless the current credentials and region are the stage's, as far as is known. */
export async function requireTarget(stage: string): Promise<void> {
  const { region } = findAccount(process.env, homedir())
  if (!region) throw new Error("No AWS region is set. Run: export AWS_REGION=eu-central-1")
  const { finding } = await examineTarget(stage, region)
  if (finding.kind === "missing") throw new Error([finding.says, ...(finding.commands ?? [])].join("\n    "))
}

/** Stores where the stage is deployed in its settings. Removes the entry if `place` is undefined. */
export function noteTarget(stage: string, place: DeployTarget | undefined): void {
  const file = `.env.${stage}`
  const text = existsSync(file) ? readFileSync(file, "utf8") : ""
  const others = text.split("\n").filter((line) => !line.startsWith(`${SETTING}=`))
  if (place) others.splice(others.at(-1) === "" ? -1 : others.length, 0, `${SETTING}=${place}`)
  const noted = others.join("\n")
  if (noted !== text) replaceFile(file, noted.endsWith("\n") || noted === "" ? noted : `${noted}\n`)
}

/** Replaces a file atomically, because the settings aren't stored anywhere else. Keeps a symlink. */
function replaceFile(file: string, text: string): void {
  const place = existsSync(file) ? realpathSync(file) : file
  const mode = existsSync(file) ? statSync(place).mode : 0o600
  writeFileSync(`${place}.new`, text, { mode, flush: true })
  renameSync(`${place}.new`, place)
}

/**
 * Finds another region in the same account that contains the stage's bucket, because listing buckets covers all
 * regions. Returns undefined if this region has a bucket too, if no region has one, or if the caller isn't allowed to
 * list buckets.
 */
async function elsewhere(
  stage: string,
  place: DeployTarget,
  abortSignal: AbortSignal,
): Promise<DeployTarget | undefined> {
  const [account, here = ""] = place.split("/")
  const client = createS3Client({ region: here })
  try {
    // Without a limit, AWS leaves out the regions.
    const command = new ListBucketsCommand({ Prefix: `switchyard-${stage}-blobsbucket-`, MaxBuckets: 100 })
    const { Buckets = [] } = await client.send(command, { abortSignal })
    const regions = Buckets.flatMap(({ BucketRegion }) => BucketRegion ?? [])
    return regions.includes(here) || !regions[0] ? undefined : `${account}/${regions[0]}`
  } catch (error) {
    if (error instanceof Error && error.name === "AccessDenied") return undefined
    throw error
  } finally {
    client.destroy()
  }
}
