import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { bedrockFound } from "../../tools/cloud/bedrock.ts"
import { KNOWN_SECRET } from "../fixtures/model-server/bedrock-wire.ts"
import { type ModelServer, startModelServer } from "../fixtures/model-server/server.ts"

describe("what the doctor says about Bedrock", () => {
  let bedrock: ModelServer
  beforeAll(async () => {
    bedrock = await startModelServer([])
  })
  beforeEach(() => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDTEST")
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", KNOWN_SECRET)
    vi.stubEnv("AWS_SESSION_TOKEN", "")
  })
  afterAll(() => bedrock.close())

  async function said(BEDROCK_MODELS: string, BEDROCK_BASE_URL = bedrock.url, withinMs?: number) {
    const env = { BEDROCK_MODELS, BEDROCK_BASE_URL }
    return (await bedrockFound(env, "us-east-1", { withinMs })).map(({ kind, says }) => `${kind}: ${says}`)
  }

  it("names each model that the account can't use, with its reason", async () => {
    expect(await said("amazon.nova-pro-v1:0, meta.closed-v1:0,x.missing-v1:0")).toEqual([
      expect.stringMatching(/^note: The AWS account has no access to bedrock\/meta\.closed-v1:0 yet\./),
      expect.stringMatching(/^note: bedrock has no model "x\.missing-v1:0"/),
    ])
    expect(await said("amazon.nova-pro-v1:0")).toEqual(["fine: The account has access to amazon.nova-pro-v1:0."])
  })

  it("names the permissions that are missing to find out, and claims no access then", async () => {
    const unknown = expect.stringMatching(/^note: It is unknown .* bedrock:GetFoundationModelAvailability/)
    expect(await said("amazon.nova-pro-v1:0,amazon.unaskable-v1:0")).toEqual([unknown])
  })

  it("tells silence from a refusal", async () => {
    const silent = createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve))
    const address = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const unchecked = "note: The models in BEDROCK_MODELS couldn't be checked: "
    expect(await said("amazon.nova-pro-v1:0", address, 50)).toEqual([
      `${unchecked}Amazon Bedrock didn't respond within 0.05 s.`,
    ])
    silent.closeAllConnections()
    silent.close()
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "wrong")
    expect(await said("amazon.nova-pro-v1:0")).toEqual([
      expect.stringMatching(/couldn't be checked: .*The signature does not match/),
    ])
  })
})
