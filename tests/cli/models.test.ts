import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ModelServer, startModelServer } from "../fixtures/model-server/server.ts"
import { startServer, type TestServer } from "../functions/server.ts"
import { switchyard } from "./spawn.ts"

const SERVERS_KEY = "gsk_of_the_server"

let provider: ModelServer
let server: TestServer
beforeAll(async () => {
  provider = await startModelServer([])
  server = await startServer({ env: { GROQ_API_KEY: SERVERS_KEY, GROQ_BASE_URL: provider.url } })
  await server.call("POST", "/api/v1/accounts", { json: { name: "work", provider: "codex", api_key: "sk-proj-x" } })
})
afterAll(async () => {
  await server.close()
  await provider.close()
})

const models = (args: string[] = [], key?: string) =>
  switchyard(["models", ...args], { url: server.url, env: key ? { SWITCHYARD_API_KEY: key } : {} })

describe("switchyard models", () => {
  it("shows which providers have a key, and what gives one to the others", async () => {
    const { code, stdout, stderr } = await models()
    expect([code, stderr]).toEqual([0, "Runs that don't specify a model use groq/openai/gpt-oss-120b.\n"])
    expect(stdout.split("\n")).toEqual([
      "groq       server's key   groq/openai/gpt-oss-120b",
      "openai     account work   openai/gpt-5",
      "scripted   no key needed  scripted/demo",
      "anthropic  no key         send one with --api-key, or set ANTHROPIC_API_KEY on the server",
      "local      not set up     set LOCAL_BASE_URL on the server",
      "",
    ])
  })

  it("counts the key of the command for the provider whose form it has, and shows nothing of it", async () => {
    const { stdout } = await models([], "sk-ant-of-mine")
    expect(stdout).toContain("anthropic  your key       anthropic/claude-sonnet-5\n")
    expect(stdout).not.toContain("of-mine")
  })

  it("lists a provider's models, one a line, for --model", async () => {
    const { code, stdout } = await models(["groq"])
    expect([code, stdout.split("\n")[0]]).toEqual([0, "groq/openai/gpt-oss-120b"])
    const json = await models(["groq", "--json"])
    expect(JSON.parse(json.stdout)).toMatchObject({
      complete: true,
      models: [{ name: "groq/openai/gpt-oss-120b" }, {}, {}],
    })
  })

  it.each([
    [["anthropic"], undefined, 2, "needs an API key"],
    [["groq"], "sk-ant-of-mine", 2, "is an Anthropic key (sk-ant-…)"],
    [["mistral"], undefined, 1, "There is no model provider with this name."],
    [["groq", "more"], undefined, 2, "too many arguments"],
  ])("says why it can't: %j with the key %s", async (args, key, exit, message) => {
    const { code, stdout, stderr } = await models(args, key)
    expect([code, stdout]).toEqual([exit, ""])
    expect(stderr).toContain(message)
    expect(stderr).not.toContain("of-mine")
  })
})
