import { foreignIssuer, issuerAt, keyIssuer, keyReceiver, withoutKeys } from "@switchyard/core/models/key-forms"
import { keyIn, recognizeKey } from "@switchyard/core/models/recognize-key"
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

/** Keys of companies without a fixed key format, of proxies, and of local servers. */
const ANYBODYS = ["sk-1234", "sk-abcdef0123456789", "sk-none", "none", "AbCdEf", "my-sk-ant-key", "GSK_x", "sk_ant_x"]

describe("the form of a key", () => {
  it.each(Object.entries(OF))("says that it is %s's", (issuer, keys) => {
    expect(keys.map(keyIssuer)).toEqual(keys.map(() => issuer))
  })

  it.each(ANYBODYS)("says nothing of %s", (key) => {
    expect(keyIssuer(key)).toBeUndefined()
  })
})

describe("a pasted key", () => {
  it.each([
    [
      "sk-ant-api03-9fJmZ0p9QdXwT4yKcR7uWGdyb3FYn1LhB8sEaO2iUxVfMkPtHqZ6-AA",
      { type: "provider", provider: "anthropic" },
    ],
    ["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", { type: "provider", provider: "groq" }],
    ["sk-proj-9fJmZ0p9QdXwT4yKcR7uT3BlbkFJb3FYn1LhB8sEaO2iUxVf", { type: "provider", provider: "openai" }],
    ["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", { type: "provider", provider: "openai" }],
    ["AIzaSyA9fJmZ0p9QdXwT4yKcR7uWGdyb3FYn1Lh", { type: "agent", agent: "gemini", described: "a Google key (AIza…)" }],
    ["sk-0123456789abcdef0123456789abcdef", { type: "ambiguous" }],
    ["none", { type: "ambiguous" }],
  ])("is recognized by its form: %s", (key, found) => {
    expect(recognizeKey(key)).toEqual(found)
  })

  it.each([
    ["sk-ant-oat01-x", "the token of a Claude subscription"],
    ["sk-or-v1-abc", "an OpenRouter key (sk-or-…)"],
    ["xai-abc", "an xAI key (xai-…)"],
    ["", "can't contain"],
    ["two words", "can't contain"],
    ["sk-ant-\u0430pi", "can't contain"],
    ["sk-ant-x\u0000", "can't contain"],
    ["gsk_a\ngsk_b", "can't contain"],
    ["<img src=x onerror=alert(1)>", "can't contain"],
    ["k".repeat(4001), "too long"],
    ["sk-".repeat(200_000), "too long"],
  ])("says why it can't be used: %#", (key, fault) => {
    expect(recognizeKey(key)).toEqual({ type: "unusable", fault: expect.stringContaining(fault) })
  })

  it.each([
    "  gsk_abc\n",
    '"gsk_abc"',
    "'gsk_abc'",
    "GROQ_API_KEY=gsk_abc",
    'export GROQ_API_KEY="gsk_abc"',
    "GROQ_API_KEY = gsk_abc",
    "Bearer gsk_abc",
    "Authorization: Bearer gsk_abc",
    "x-api-key: gsk_abc",
    "\ufeffgsk_\u200babc",
  ])("is found in what was copied with it: %j", (text) => {
    expect(keyIn(text)).toBe("gsk_abc")
  })

  it.each(["AbCdEf==", "ABC==", "KEY=", "export ", "Bearer", '"', "''", "a=b=c", "constructor"])(
    "leaves %j",
    (text) => {
      expect(keyIn(text)).toBe(text.trim())
    },
  )
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
