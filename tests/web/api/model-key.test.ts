import { keyedProviders } from "@switchyard/core/models/providers/providers"
import { describe, expect, it } from "vitest"
import { createKeyStore } from "../../../packages/web/src/api/model-key.ts"

function createStorage() {
  const stored = new Map<string, string>()
  const storage: Storage = {
    ...{ length: 0, clear: () => stored.clear(), key: () => null, removeItem: (key) => void stored.delete(key) },
    getItem: (key) => stored.get(key) ?? null,
    setItem: (key, value) => void stored.set(key, value),
  }
  return { storage, stored }
}

function open() {
  const { storage, stored } = createStorage()
  let changes = 0
  const keys = createKeyStore(storage, () => {
    changes++
  })
  return { keys, stored, changes: () => changes }
}

describe("the keys of a tab", () => {
  it("are each for the provider that it was entered for, and for no other", () => {
    const { keys, changes } = open()
    keys.save("anthropic", " sk-ant-mine ")
    expect(keyedProviders.map(keys.read)).toEqual([null, "sk-ant-mine", null, null])
    expect(keys.read("scripted")).toBeNull()
    keys.save("groq", "gsk_mine")
    expect(keys.providers()).toEqual(["groq", "anthropic"])
    keys.remove("anthropic")
    expect(keys.providers()).toEqual(["groq"])
    expect(changes()).toBe(3)
  })

  it("are replaced, and removed by an empty one", () => {
    const { keys, stored } = open()
    keys.save("openai", "sk-1")
    keys.save("openai", "sk-2")
    expect([stored.size, keys.read("openai")]).toEqual([1, "sk-2"])
    keys.save("openai", " ")
    expect([stored.size, keys.read("openai")]).toEqual([0, null])
  })
})
