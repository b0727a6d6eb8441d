import { BuiltInCli } from "@switchyard/core/agents/clis/clis"
import { createNewId } from "@switchyard/core/ids"
import { createAccounts } from "@switchyard/core/people/accounts/accounts"
import { listProviders } from "@switchyard/core/people/accounts/providers"
import { NewAccount } from "@switchyard/core/people/accounts/schema"
import type { Records } from "@switchyard/core/storage/records"
import { createSealer } from "@switchyard/core/storage/sealing"
import { systemClock } from "@switchyard/core/time"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openStores } from "../../../fixtures/stores.ts"

const KEY = "sk-ant-api03-9fJmZ0p9QdXwT4yKcR7u"
const options = { signal: new AbortController().signal }
const claude = { name: "Work", provider: "claude" as const, api_key: KEY }

let store: Awaited<ReturnType<typeof openStores>>
beforeEach(async () => {
  store = await openStores()
})
afterEach(() => store.close())

function open(records: Records = store.records, masterKey = new Uint8Array(32)) {
  return createAccounts({ records, sealer: createSealer(masterKey), newId: createNewId(), clock: systemClock })
}

describe("an account", () => {
  it("is kept with its choices, and shown without its key", async () => {
    const accounts = open()
    const base_url = "https://proxy.example/v1"
    const made = await accounts.create("ada", { ...claude, base_url, model: "claude-sonnet-4-5" }, options)
    expect(made).toMatchObject({ name: "Work", provider: "claude", base_url, model: "claude-sonnet-4-5" })
    expect(made).toMatchObject({ reasoning: null, has_key: true, ready: true })
    expect(JSON.stringify(made)).not.toContain(KEY)
    expect(await accounts.get("ada", "Work", options)).toEqual(made)
    expect(await accounts.list("ada", options)).toEqual([made])
  })

  it("gives its key to who starts an agent for its owner, whatever the case of its name", async () => {
    const accounts = open()
    await accounts.create("ada", claude, options)
    expect(await accounts.credentials("ada", "wORK", options)).toEqual({
      id: expect.stringMatching(/^acc_/),
      provider: "claude",
      apiKey: KEY,
      hasLogin: false,
      baseUrl: null,
      model: null,
      reasoning: null,
    })
    expect(await accounts.credentials("bob", "work", options)).toBeUndefined()
  })

  it("gets another key with everything else as it is, but none of another company, and none for its owner's neighbour", async () => {
    const accounts = open()
    const made = await accounts.create("ada", { ...claude, model: "claude-sonnet-4-5" }, options)
    const before = await accounts.credentials("ada", "work", options)
    const next = "sk-ant-api03-another-one"
    expect(await accounts.changeKey("ada", "WORK", next, options)).toEqual(made)
    expect(await accounts.credentials("ada", "work", options)).toEqual({ ...before, apiKey: next })
    for (const other of ["gsk_0123456789abcdefghijklmnopqrstuvwxyz", "sk-ant-oat01-x"]) {
      const refused = accounts.changeKey("ada", "work", other, options)
      await expect(refused).rejects.toMatchObject({ code: "validation_error" })
    }
    await expect(accounts.changeKey("bob", "work", next, options)).rejects.toMatchObject({ code: "account_not_found" })
    expect((await accounts.credentials("ada", "work", options))?.apiKey).toBe(next)
  })

  it("has its name to itself, but only among its owner's", async () => {
    const accounts = open()
    await accounts.create("ada", claude, options)
    const second = accounts.create("ada", { ...claude, name: "WORK", api_key: "sk-other" }, options)
    await expect(second).rejects.toMatchObject({ code: "account_exists" })
    expect((await accounts.credentials("ada", "work", options))?.apiKey).toBe(KEY)
    await accounts.create("bob", { ...claude, api_key: "sk-bob" }, options)
    expect((await accounts.credentials("bob", "work", options))?.apiKey).toBe("sk-bob")
  })

  it.each([
    [
      { provider: "claude", api_key: "gsk_x" },
      "a Groq key (gsk_…). It wasn't saved, because Claude Code would send it to api.anthropic.com",
    ],
    [{ provider: "claude", api_key: "gsk_x", base_url: "http://127.0.0.1:9" }, "to 127.0.0.1:9"],
    [{ provider: "codex", api_key: "sk-ant-x" }, "an Anthropic key"],
    [{ provider: "gemini", api_key: "sk-proj-x" }, "an OpenAI key"],
    [{ provider: "vibe", api_key: "gsk_x" }, "api.mistral.ai"],
    [{ provider: "qwen", api_key: "sk-ant-x" }, "api.openai.com"],
    [{ provider: "opencode", api_key: "gsk_x" }, "api.anthropic.com"],
    [{ provider: "claude", api_key: "sk-ant-oat01-x" }, "Claude subscription (sk-ant-oat…), not an API key. Use"],
    [{ provider: "opencode", api_key: "sk-ant-oat01-x", model: "some/one" }, "not an API key"],
    [{ provider: "qwen", api_key: "sk-ant-oat01-x", base_url: "http://127.0.0.1:9" }, "not an API key"],
  ] as const)("isn't made with another provider's key, or what is none: %j", async (account, message) => {
    const made = open().create("ada", { name: "work", ...account }, options)
    await expect(made).rejects.toMatchObject({ code: "validation_error", message: expect.stringContaining(message) })
    expect(await open().list("ada", options)).toEqual([])
  })

  it.each([
    { provider: "qwen", api_key: "gsk_x", base_url: "https://api.groq.com/openai" },
    { provider: "claude", api_key: "sk-or-x", base_url: "https://openrouter.ai/api" },
    { provider: "claude", api_key: "sk-ant-x", base_url: "http://127.0.0.1:9" },
    { provider: "claude", api_key: "sk-of-a-proxy", base_url: "http://127.0.0.1:9" },
    { provider: "opencode", api_key: "sk-proj-x", model: "openai/gpt-5" },
    { provider: "opencode", api_key: "gsk_x", model: "groq/some" },
    { provider: "gemini", api_key: "AIza-x" },
    { provider: "vibe", api_key: "of-no-form" },
  ] as const)("is made with a key that goes to its own company, or has no form: %j", async (account) => {
    await open().create("ada", { name: "work", ...account }, options)
    expect((await open().credentials("ada", "work", options))?.apiKey).toBe(account.api_key)
  })

  it("is made by one of those who make it at once", async () => {
    const accounts = open()
    const made = await Promise.allSettled(
      [1, 2, 3, 4].map((n) => accounts.create("ada", { ...claude, api_key: `sk-${n}` }, options)),
    )
    const winner = made.findIndex(({ status }) => status === "fulfilled")
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
    expect((await accounts.credentials("ada", "work", options))?.apiKey).toBe(`sk-${winner + 1}`)
  })

  it("is made once even if nobody heard that it was", async () => {
    // After a lost reply, the store repeats a put that was already made.
    const deaf: Records = {
      ...store.records,
      async put(...args) {
        await store.records.put(...args)
        return store.records.put(...args)
      },
    }
    expect(await open(deaf).create("ada", claude, options)).toMatchObject({ name: "Work" })
  })

  it("is forgotten with its key, and another of its name has another key", async () => {
    const accounts = open()
    await accounts.create("ada", claude, options)
    const before = await store.records.get({ partition: "accounts/ada", sort: "work" })
    await accounts.remove("ada", "work", options)
    await expect(accounts.remove("ada", "work", options)).rejects.toMatchObject({ code: "account_not_found" })
    await expect(accounts.get("ada", "work", options)).rejects.toMatchObject({ code: "account_not_found" })
    await accounts.create("ada", { ...claude, api_key: "sk-next" }, options)
    const after = await store.records.get({ partition: "accounts/ada", sort: "work" })
    // The old key can't be opened in the new account's record.
    if (after) await store.records.put(after.key, { value: after.value, bytes: before?.bytes })
    await expect(accounts.credentials("ada", "work", options)).rejects.toThrow()
  })

  it("can't be opened with a different master key, or by another owner who has its bytes", async () => {
    await open().create("ada", claude, options)
    const wrong = open(store.records, new Uint8Array(32).fill(1))
    const refused = { code: "secret_unreadable", message: expect.stringContaining("a different master key") }
    await expect(wrong.credentials("ada", "work", options)).rejects.toMatchObject(refused)
    // Truncated bytes can't be opened either.
    for (const bytes of [0, 5, 20])
      expect(() => createSealer(new Uint8Array(32)).open("ada", "work", new Uint8Array(bytes))).toThrow(
        expect.objectContaining({ code: "secret_unreadable" }),
      )
    // The account is still listed, and the right key still opens it.
    expect(await wrong.list("ada", options)).toMatchObject([{ name: "Work", has_key: true }])
    expect(await open().credentials("ada", "work", options)).toMatchObject({ apiKey: KEY })
    const record = await store.records.get({ partition: "accounts/ada", sort: "work" })
    if (record) await store.records.put({ partition: "accounts/eve", sort: "work" }, record)
    await expect(open().credentials("eve", "work", options)).rejects.toThrow()
  })

  it("needs a key, unless it is of one who plays", async () => {
    const accounts = open()
    for (const provider of BuiltInCli.options) {
      const made = accounts.create("ada", { name: provider, provider }, options)
      if (provider === "mock") expect(await made).toMatchObject({ has_key: false, ready: true })
      else await expect(made).rejects.toMatchObject({ code: "validation_error" })
    }
  })

  it.each([
    ...["", "-a", "a b", "ä", "a/b", "a".repeat(65)].map((name) => ({ name })),
    ...["", "two words", "line\nbreak", "ключ", "x".repeat(4001)].map((api_key) => ({ api_key })),
    ...["ftp://x", "x", "https://u:p@x", "https://x?key=1", "javascript:alert(1)"].map((base_url) => ({ base_url })),
    { provider: "../kimi" },
    { model: "a\nb" },
    { extra: 1 },
  ])("isn't made with %j", (wrong) => {
    expect(NewAccount.safeParse(claude).success).toBe(true)
    expect(NewAccount.safeParse({ ...claude, ...wrong }).success).toBe(false)
  })
})

describe("the providers", () => {
  it("are those that have an agent, the mock only where it is wanted", () => {
    expect(
      listProviders({ withMock: true, withLogins: true, keys: {}, added: new Map() }).map(({ type }) => type),
    ).toEqual(BuiltInCli.options)
    expect(
      listProviders({ withMock: false, withLogins: false, keys: {}, added: new Map() }).map(({ type }) => type),
    ).not.toContain("mock")
  })
})
