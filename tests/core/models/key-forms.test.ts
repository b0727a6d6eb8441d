import { foreignIssuer, issuerAt, keyIssuer, keyReceiver, withoutKeys } from "@switchyard/core/models/key-forms"
import { describe, expect, it } from "vitest"

const OF = {
  anthropic: ["sk-ant-api03-9fJmZ0p9QdXw", " sk-ant-x "],
  claude_subscription: ["sk-ant-oat01-x", " sk-ant-oat01-x "],
  groq: ["gsk_5vJmZ0p9QdXwT4yKcR7u"],
  openai: ["sk-proj-abc", "sk-svcacct-abc", "sk-admin-abc", "sk-7oXvT3BlbkFJq1"],
  google: ["AIzaSyA-x"],
  openrouter: ["sk-or-v1-abc"],
  xai: ["xai-abc"],
}

/** Keys of companies that give theirs no form, of proxies and of local servers. */
const ANYBODYS = ["sk-1234", "sk-abcdef0123456789", "sk-none", "none", "AbCdEf", "my-sk-ant-key", "GSK_x", "sk_ant_x"]

describe("the form of a key", () => {
  it.each(Object.entries(OF))("says that it is %s's", (issuer, keys) => {
    expect(keys.map(keyIssuer)).toEqual(keys.map(() => issuer))
  })

  it.each(ANYBODYS)("says nothing of %s", (key) => {
    expect(keyIssuer(key)).toBeUndefined()
  })
})

describe("a text with keys in it", () => {
  it.each([
    "sk-ant-api03-9fJmZ0p9QdXw",
    "gsk_5vJmZ0p9QdXwT4yKcR7u",
    "sk-proj-abcdef0123456789",
    "sk-abcd****************wxyz",
    "AIzaSyA-x0123456789",
    "xai-abcdef0123456789",
  ])("loses %s, whoever it belongs to", (key) => {
    expect(withoutKeys(`Incorrect API key provided: ${key}. Key "${key}"`)).toBe(
      'Incorrect API key provided: [api key] Key "[api key]"',
    )
  })

  it("keeps names that only look a little like one", () => {
    const text = "task-runner-of-the-house, risk-assessment-2025, sk-1234, my_gsk_variable and claude-sonnet-5"
    expect(withoutKeys(text)).toBe(text)
  })
})

describe("a key in another provider's form", () => {
  it.each([
    ["groq", OF.groq],
    ["anthropic", OF.anthropic],
    ["openai", OF.openai],
  ] as const)("isn't %s's, whatever its base URL", (provider, own) => {
    for (const baseUrl of [
      undefined,
      "http://127.0.0.1:8080",
      "https://api.groq.com/openai/v1",
      "https://api.openai.com",
    ]) {
      const receiver = keyReceiver(provider, baseUrl)
      for (const [issuer, keys] of Object.entries(OF)) {
        for (const key of keys) expect(foreignIssuer(key, receiver)).toBe(issuer === provider ? undefined : issuer)
      }
      for (const key of [...own, ...ANYBODYS]) expect(foreignIssuer(key, receiver)).toBeUndefined()
    }
  })

  it("isn't a local server's either, unless that is the company's own API", () => {
    const local = (baseUrl: string) => keyReceiver("local", baseUrl)
    expect(foreignIssuer("gsk_x", local("http://localhost:11434/v1"))).toBe("groq")
    expect(foreignIssuer("gsk_x", local("https://api.groq.com/openai/v1"))).toBeUndefined()
    expect(foreignIssuer("sk-ant-x", local("https://api.groq.com/openai/v1"))).toBe("anthropic")
    for (const key of ANYBODYS) expect(foreignIssuer(key, local("http://localhost:11434/v1"))).toBeUndefined()
  })

  it.each(["https://groq.com.evil.test", "https://notgroq.com", "api.groq.com", ""])("has no home at %j", (url) => {
    expect(issuerAt(url)).toBeNull()
  })
})
