import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { examineTarget } from "../../tools/cloud/deploy-target.ts"
import { connectS3 } from "../emulators/s3.ts"
import { connectAws } from "./connect.ts"

const aws = connectAws("eu-central-1")
const s3 = connectS3(aws.endpoint)

describe(`the place of a stage on ${aws.name}`, () => {
  beforeAll(() => {
    vi.stubEnv("AWS_ENDPOINT_URL", aws.endpoint)
    vi.stubEnv("AWS_ACCESS_KEY_ID", "test")
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test")
  })
  afterAll(() => {
    vi.unstubAllEnvs()
    s3.close()
  })

  it("is the account of the credentials, and where the stage's bucket is", async () => {
    await s3.createBucket("switchyard-placed-blobsbucket-abc")
    const { place, finding } = await examineTarget("placed", "eu-central-1")
    expect(place).toMatch(/^\d{12}\/eu-central-1$/)
    expect(finding).toMatchObject({ kind: "fine", says: `The account and region are ${place}.` })
    // Moto's list of buckets doesn't name their regions.
    if (aws.name === "Moto") return
    const { finding: elsewhere } = await examineTarget("placed", "us-east-1")
    expect(elsewhere).toMatchObject({ kind: "missing", says: expect.stringContaining(`deployed to ${place}, but`) })
    expect((await examineTarget("other", "us-east-1")).finding.kind).toBe("fine")
  })
})
