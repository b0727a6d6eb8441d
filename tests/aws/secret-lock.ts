import { afterAll, describe, expect, it } from "vitest"
import { underSecretLock } from "../../tools/cloud/secret-lock.ts"
import { connectS3 } from "../emulators/s3.ts"
import { connectAws } from "./connect.ts"

const region = "eu-central-1"
const aws = connectAws(region)
const s3 = connectS3(aws.endpoint)
afterAll(s3.close)

describe(`the lock of a stage's secrets in S3 on ${aws.name}`, () => {
  it("is one deployment's at a time, and the next one's when that is done or has failed", async () => {
    await s3.createBucket("sst-state-abc")
    const deps = { client: s3.client, region, stage: "prod" }
    const refused = "Another deployment of prod is generating its secrets."
    const lockOut = () => expect(underSecretLock(deps, async () => {})).rejects.toThrow(refused)
    await underSecretLock(deps, lockOut)
    const failing = async () => {
      await underSecretLock({ ...deps, stage: "try" }, async () => {})
      throw new Error("broken")
    }
    await expect(underSecretLock(deps, failing)).rejects.toThrow("broken")
    expect(await underSecretLock(deps, async () => "made")).toBe("made")
  })
})
