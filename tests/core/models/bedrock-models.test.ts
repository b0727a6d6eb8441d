import { createModelCatalog } from "@switchyard/core/models/catalog"
import { afterEach, describe, expect, it } from "vitest"
import { KNOWN_SECRET } from "../../fixtures/model-server/bedrock-wire.ts"
import { type ModelServer, startModelServer } from "../../fixtures/model-server/server.ts"

describe("the list of Bedrock's models", () => {
  let server: ModelServer | undefined
  afterEach(() => server?.close())

  async function list(models: string[], secretAccessKey = KNOWN_SECRET) {
    server = await startModelServer([])
    const credentials = async () => ({ accessKeyId: "AKIDTEST", secretAccessKey })
    const bedrock = { models, aws: { region: "us-east-1", credentials } }
    const catalog = createModelCatalog({ clock: { monotonic: () => 0 }, bedrock })
    const access = { provider: "bedrock", apiKey: "", baseUrl: server.url } as const
    return catalog.list(access, { signal: new AbortController().signal })
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

  it("has a model that this process may not ask about, and says that it isn't sure", async () => {
    const { models, complete } = await list(["amazon.unaskable-v1:0"])
    expect(models.map(({ name }) => name)).toEqual(["bedrock/amazon.unaskable-v1:0"])
    expect(complete).toBe(false)
  })

  it("fails if the account can use none, and says why", async () => {
    await expect(list(["meta.closed-v1:0"])).rejects.toThrow("An administrator of the account must open it once")
    await server?.close()
    await expect(list(["amazon.nova-pro-v1:0"], "wrong")).rejects.toMatchObject({ errorType: "auth_error" })
  })
})
