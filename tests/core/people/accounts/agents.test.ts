import { createNewId } from "@switchyard/core/ids"
import { createAccounts } from "@switchyard/core/people/accounts/accounts"
import { createAgentAccounts } from "@switchyard/core/people/accounts/agents"
import { createSealer } from "@switchyard/core/storage/sealing"
import { systemClock } from "@switchyard/core/time"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openStores } from "../../../fixtures/stores.ts"

const options = { signal: new AbortController().signal }

let store: Awaited<ReturnType<typeof openStores>>
beforeEach(async () => {
  store = await openStores()
})
afterEach(() => store.close())

function open() {
  const sealer = createSealer(new Uint8Array(32))
  const accounts = createAccounts({ records: store.records, sealer, newId: createNewId(), clock: systemClock })
  return { accounts, agents: createAgentAccounts({ accounts, keys: { claude: "sk-server" }, withMock: true }) }
}

/** Owners whose names differ only in characters that folder names can't contain, or only near the end. */
const ALIKE = ["ada@x", "ada-x", "ada/x", "ADA@x", `${"a".repeat(100)}1`, `${"a".repeat(100)}2`]

describe("the home of an agent", () => {
  it("is another for each owner, on the server's own key", async () => {
    const { agents } = open()
    const homeOf = async (owner: string) => (await agents.open(owner, { cli: "claude", account: null }, options)).home
    const homes = await Promise.all(ALIKE.map(homeOf))
    expect(new Set(homes).size).toBe(ALIKE.length)
    expect(await homeOf("ada@x")).toBe(homes[0])
    expect((await agents.open("ada@x", { cli: "codex", account: null }, options)).home).not.toBe(homes[0])
    for (const home of homes) expect(home).toMatch(/^[\w.-]{1,128}$/)
  })

  it("is no longer the account's once that was removed, nor another removed account's", async () => {
    const { accounts, agents } = open()
    const names = ["Work", "Home"]
    const openAll = () =>
      Promise.all(
        ["ada@x", "ada-x"].flatMap((owner) =>
          names.map((account) => agents.open(owner, { cli: "claude", account }, options)),
        ),
      )
    const account = { provider: "claude" as const, api_key: "sk-ant-1" }
    for (const owner of ["ada@x", "ada-x"])
      for (const name of names) await accounts.create(owner, { ...account, name }, options)
    const before = await openAll()
    for (const owner of ["ada@x", "ada-x"]) for (const name of names) await accounts.remove(owner, name, options)
    const after = await openAll()
    expect(after.map(({ apiKey }) => apiKey)).toEqual([null, null, null, null])
    expect(new Set([...before, ...after].map(({ home }) => home)).size).toBe(8)
    for (const { home } of after) expect(home).toMatch(/^[\w.-]{1,128}$/)
  })
})

describe("a program without an account", () => {
  const claude = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
  const bedrock = { models: ["amazon.nova-pro-v1:0", claude], region: "us-east-1", baseUrl: null }
  const withBedrock = (keys: { claude?: string }) =>
    createAgentAccounts({ accounts: open().accounts, keys, bedrock, withMock: false })

  it("uses Claude on Bedrock if the stage lets it, and only if it can", async () => {
    const agents = withBedrock({})
    expect(await agents.choose("ada", "claude", options)).toMatchObject({ cli: "claude", account: null })
    const own = await agents.open("ada", { cli: "claude", account: null }, options)
    expect(own).toMatchObject({ apiKey: null, bedrock: { models: [claude], region: "us-east-1" } })
    await expect(agents.choose("ada", "codex", options)).rejects.toThrow("No API key for Codex")
  })

  it("rather uses a key of the server", async () => {
    const own = await withBedrock({ claude: "sk-server" }).open("ada", { cli: "claude", account: null }, options)
    expect([own.apiKey, own.bedrock]).toEqual(["sk-server", undefined])
  })
})
