import { concurrencyQuota } from "@switchyard/functions/aws/quota"
import { afterAll, describe, expect, it, vi } from "vitest"
import { connectAws } from "./connect.ts"
import { CONCURRENCY } from "./servers.ts"

const aws = connectAws("eu-central-1")

describe(`the quota of functions in Lambda on ${aws.name}`, () => {
  afterAll(() => vi.unstubAllEnvs())

  it("is the account's, in the region that is asked for", async () => {
    vi.stubEnv("AWS_ENDPOINT_URL_LAMBDA", aws.endpoint)
    vi.stubEnv("AWS_ACCESS_KEY_ID", "test")
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test")
    const { total } = await concurrencyQuota("eu-central-1", { signal: new AbortController().signal })
    expect(total).toBe(CONCURRENCY)
  })
})
