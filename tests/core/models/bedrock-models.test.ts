import type { AwsAccess } from "@switchyard/core/models/aws-access"
import { createModelCatalog } from "@switchyard/core/models/catalog"
import { afterEach, describe, expect, it } from "vitest"
import { KNOWN_SECRET } from "../../fixtures/model-server/bedrock-wire.ts"
import { type ModelServer, startModelServer } from "../../fixtures/model-server/server.ts"

describe("the list of Bedrock's models", () => {
  let server: ModelServer | undefined
  afterEach(() => server?.close())

  async function list(models: string[], secretAccessKey = KNOWN_SECRET) {
    server = await startModelServer([])
    return listAt(server.url, models, async () => ({ accessKeyId: "AKIDTEST", secretAccessKey }))
  }

  function listAt(baseUrl: string, models: string[], credentials: AwsAccess["credentials"], timeoutMs = 10_000) {
    const bedrock = { models, aws: { region: "us-east-1", credentials } }
    const catalog = createModelCatalog({ clock: { monotonic: () => 0 }, timeoutMs, bedrock })
    return catalog.list({ provider: "bedrock", apiKey: "", baseUrl }, { signal: new AbortController().signal })
  }

  it("has the models that the account can use, in the operator's order", async () => {
    const profile = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
    const own = "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2"
    const { models, complete } = await list([
      profile,
      "meta.closed-v1:0",
      "x.missing-v1:0",
      "amazon.nova-micro-v1:0",
      own,
    ])
    expect(complete).toBe(true)
    expect(models.map(({ name, title, sees_images }) => [name, title, sees_images])).toEqual([
      [`bedrock/${profile}`, `Profile ${profile}`, true],
      ["bedrock/amazon.nova-micro-v1:0", null, false],
      [`bedrock/${own}`, `Profile ${own}`, null],
    ])
    expect(server?.requests).toEqual([])
  })

  it.each([
    ["this process may not ask about", "unaskable"],
    ["the address knows nothing of", "unserved"],
  ])("has a model that %s, and says that it isn't sure", async (_, kind) => {
    const { models, complete } = await list([`amazon.${kind}-v1:0`, `us.amazon.${kind}-v1:0`])
    expect(models.map(({ name }) => name)).toEqual([`bedrock/amazon.${kind}-v1:0`, `bedrock/us.amazon.${kind}-v1:0`])
    expect(complete).toBe(false)
  })

  it("fails if the account can use none, and says why", async () => {
    await expect(list(["meta.closed-v1:0"])).rejects.toThrow("An administrator of the account must open it once")
    await server?.close()
    await expect(list(["amazon.nova-pro-v1:0"], "wrong")).rejects.toMatchObject({ errorType: "auth_error" })
  })

  it("fails as others do if nothing answers, or if credentials don't come", async () => {
    const { url, close } = await startModelServer([])
    await close()
    const failed = (credentials: AwsAccess["credentials"], timeoutMs?: number) =>
      expect(listAt(url, ["amazon.nova-pro-v1:0"], credentials, timeoutMs)).rejects
    await failed(async () => ({ accessKeyId: "AKIDTEST", secretAccessKey: KNOWN_SECRET })).toThrow(
      "Amazon Bedrock failed to list its models (ECONNREFUSED).",
    )
    await failed(() => new Promise(() => {}), 20).toThrow("Amazon Bedrock didn't list its models within 0.02 s.")
  })
})
