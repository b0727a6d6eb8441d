import type { Accounts } from "@switchyard/core/people/accounts/accounts"
import type { AgentAccounts } from "@switchyard/core/people/accounts/agents"
import { workersModel } from "@switchyard/core/sessions/requests/team-coordinator"
import { describe, expect, it } from "vitest"
import { never as signal } from "../../../settings.ts"

const KEY = "sk-ant-api03-9fJmZ0p9QdXw"

/** Resolves to the model that workers of Claude Code get, with these keys. */
function modelWith({
  groq = "",
  anthropic = "",
  ofAccount = "",
  saved = [] as string[],
  apiKey = undefined as string | undefined,
  more = {},
  installed = false,
}) {
  const providers = { groq: { apiKey: groq }, anthropic: { apiKey: anthropic } }
  const account = { name: "work", provider: "claude", has_key: ofAccount !== "", base_url: null }
  const deps = {
    models: {
      providers,
      development: true,
      allowScripted: true,
      locateProgram: () => (installed ? "/bin/claude" : undefined),
    },
    agentAccounts: {
      choose: async () => ({ cli: "claude", account: null, model: null, reasoning: null, hasLogin: false }),
    },
    accounts: {
      list: async () => [account],
      credentials: async () => ({ apiKey: ofAccount }),
      keys: { list: async () => saved.map((provider) => ({ provider })) },
    },
  } as unknown as Parameters<typeof workersModel>[0] & { agentAccounts: AgentAccounts; accounts: Accounts }
  const request = { coding_agents: [], worker_commands: [], apiKey, ...more }
  return workersModel(deps, "ada", "claude-code/opus", { ...request, signal })
}

describe("workers of a program that coordinates, if the request names no model", () => {
  it.each([
    ["the server", { anthropic: KEY }],
    ["an account", { ofAccount: KEY }],
    ["the owner", { saved: ["anthropic"] }],
    ["the request", { apiKey: KEY }],
  ])("use its company's model with the key of %s", async (_, keys) => {
    expect(await modelWith(keys)).toBe("anthropic/claude-sonnet-5")
  })

  it("use the server's default if it has a key, and no model if they are programs themselves", async () => {
    expect(await modelWith({ groq: "gsk_5vJmZ0p9QdXwT4yKcR7u" })).toBeUndefined()
    expect(await modelWith({ saved: ["groq"] })).toBeUndefined()
    expect(await modelWith({ more: { coding_agents: ["claude"] } })).toBeUndefined()
  })

  it("use Claude Code as their model if it is installed and there is no key", async () => {
    expect(await modelWith({ installed: true })).toBe("claude-code/opus")
    expect(await modelWith({ installed: true, more: { coding_agents: ["claude"] } })).toBe("claude-code/opus")
    expect(await modelWith({ installed: true, anthropic: KEY })).toBe("anthropic/claude-sonnet-5")
  })

  it("aren't the demo, which would do nothing of use", async () => {
    await expect(modelWith({})).rejects.toMatchObject({ code: "invalid_request", details: { missing: "model" } })
    await expect(modelWith({ ofAccount: "sk-ant-oat01-x" })).rejects.toThrow("there is no model for its workers")
  })
})
