import { keyedProviders } from "@switchyard/core/models/providers/providers"
import { describe, expect, it } from "vitest"
import { createKeyStore } from "../../../packages/web/src/api/model-key.ts"

function createStorage(values: Record<string, string> = {}) {
  const stored = new Map(Object.entries(values))
  const storage: Storage = {
    ...{ length: 0, clear: () => stored.clear(), key: () => null, removeItem: (key) => void stored.delete(key) },
    getItem: (key) => stored.get(key) ?? null,
    setItem: (key, value) => void stored.set(key, value),
  }
  return { storage, stored }
}

function open({ session = {}, local = {} }: { session?: Record<string, string>; local?: Record<string, string> } = {}) {
  const [tab, browser] = [createStorage(session), createStorage(local)]
  let changes = 0
  const keys = createKeyStore(tab.storage, browser.storage, () => {
    changes++
  })
  return { keys, tab: tab.stored, browser: browser.stored, changes: () => changes }
}

const all = (keys: ReturnType<typeof createKeyStore>) =>
  Object.fromEntries(keyedProviders.flatMap((one) => keys.read(one) ?? []).map((key, index) => [index, key]))

describe("the keys of a browser", () => {
  it("are each for the provider that it was entered for, and for no other", () => {
    const { keys, changes } = open()
    keys.save("anthropic", " sk-ant-mine ", false)
    expect(keyedProviders.map(keys.read)).toEqual([null, "sk-ant-mine", null, null])
    expect(keys.read("scripted")).toBeNull()
    keys.save("groq", "gsk_mine", true)
    expect(keys.providers()).toEqual(["groq", "anthropic"])
    keys.save("anthropic", "", true)
    expect(keys.providers()).toEqual(["groq"])
    expect(changes()).toBe(3)
  })

  it("stay in the tab unless they are to be remembered, and in one place only", () => {
    const { keys, tab, browser } = open()
    keys.save("openai", "sk-1", false)
    expect([tab.size, browser.size, keys.remembers("openai")]).toEqual([1, 0, false])
    keys.save("openai", "sk-2", true)
    expect([tab.size, browser.size, keys.remembers("openai")]).toEqual([0, 1, true])
    expect(keys.read("openai")).toBe("sk-2")
  })

  it.each([
    ["gsk_old", "groq"],
    ["sk-ant-old", "anthropic"],
    ["sk-proj-old", "openai"],
    ["of-no-form", "groq"],
  ])("of an earlier version go to the provider whose form they have: %s", (key, provider) => {
    const { keys, browser } = open({ local: { "switchyard.model-key": key } })
    expect([keys.providers(), keys.read(provider)]).toEqual([[provider], key])
    expect([...browser.keys()]).toEqual([`switchyard.model-key.${provider}`])
    expect(all(open({ session: { groq_api_key: key } }).keys)).toEqual({ 0: key })
  })
})
