import { ModelError, type ModelErrorType } from "@switchyard/core/models/errors"
import { createGroqProvider } from "@switchyard/core/models/groq"
import { complete, type ModelRequest, type ToolCallDelta } from "@switchyard/core/models/provider"
import { type Retry, withRetries } from "@switchyard/core/models/retrying"
import { createSharedPause } from "@switchyard/core/models/shared-pause"
import { systemClock } from "@switchyard/core/time"
import { afterEach, describe, expect, it } from "vitest"
import type { FailureKind } from "../../fixtures/model-server/failures.ts"
import type { Turn } from "../../fixtures/model-server/script.ts"
import { type ModelServer, startModelServer } from "../../fixtures/model-server/server.ts"

const request: ModelRequest = { model: "m", system: "", messages: [{ role: "user", content: "Hi" }] }
const signal = new AbortController().signal

describe("withRetries", () => {
  let server: ModelServer | undefined
  afterEach(() => server?.close())

  async function retrying(turns: Turn[], sleep = async (_ms: number) => {}) {
    server = await startModelServer(turns)
    const waits: number[] = []
    const retries: Retry[] = []
    const provider = withRetries(createGroqProvider({ apiKey: "k", baseUrl: server.url }), {
      maxAttempts: 3,
      maxWaitMs: 10_000,
      random: () => 1,
      sleep: (ms) => {
        waits.push(ms)
        return sleep(ms)
      },
      onRetry: (retry) => void retries.push(retry),
    })
    return { provider, waits, retries }
  }
  const failing = (kind: FailureKind, headers?: Record<string, string>): Turn => ({ fail: { kind, headers } })

  it("waits as long as the provider asks", async () => {
    const { provider, waits, retries } = await retrying([
      failing("rate_limit", { "retry-after": "4" }),
      failing("rate_limit", { "retry-after-ms": "30" }),
      { text: ["ok"] },
    ])
    expect((await complete(provider, request, { signal })).text).toBe("ok")
    expect(waits).toEqual([4000, 30])
    expect(retries).toMatchObject([
      { attempt: 1, waitMs: 4000 },
      { attempt: 2, waitMs: 30 },
    ])
  })

  it("has calls that share a pause ask alone while the limit holds, and then one after the other", async () => {
    const together = Promise.withResolvers<void>()
    let asked = 0
    server = await startModelServer(async () => {
      const nth = ++asked
      if (nth === 5) together.resolve()
      await together.promise
      return nth <= 7 ? failing("rate_limit", { "retry-after-ms": "20" }) : { text: ["ok"] }
    })
    const policy = { maxAttempts: 5, maxWaitMs: 10_000, sleep: () => Promise.reject(new Error("waits by itself")) }
    const pause = createSharedPause(systemClock)
    const provider = withRetries(createGroqProvider({ apiKey: "k", baseUrl: server.url }), { ...policy, pause })
    const answers = await Promise.all(Array.from({ length: 5 }, () => complete(provider, request, { signal })))
    expect(answers.map(({ text }) => text)).toEqual(["ok", "ok", "ok", "ok", "ok"])
    expect(server.requests).toHaveLength(12)
  })

  it("backs off by itself when nothing is asked, and stops after the last attempt", async () => {
    const { provider, waits } = await retrying([
      failing("overloaded"),
      { fault: { kind: "break", afterFrames: 0 } },
      failing("rate_limit"),
      { text: ["never asked for"] },
    ])
    await expect(complete(provider, request, { signal })).rejects.toMatchObject({ errorType: "rate_limit" })
    expect(waits).toEqual([500, 1000])
    expect(server?.requests).toHaveLength(3)
  })

  it("hands a wait that is too long to the caller", async () => {
    const { provider } = await retrying([failing("rate_limit", { "retry-after": "11" }), { text: ["ok"] }])
    const error = await complete(provider, request, { signal }).catch((error) => error)
    expect(error).toMatchObject({ errorType: "rate_limit", retryAfterMs: 11_000 })
    expect(server?.requests).toHaveLength(1)
  })

  it("does not ask again once a part of the answer was given", async () => {
    const turn: Turn = { text: ["one", "two"], fault: { kind: "break", afterFrames: 2 } }
    const { provider } = await retrying([turn, { text: ["ok"] }])
    const texts: string[] = []
    const options = { signal, onText: (text: string) => texts.push(text) }
    await expect(complete(provider, request, options)).rejects.toMatchObject({ errorType: "connection_error" })
    expect(texts).toEqual(["one"])
    expect(server?.requests).toHaveLength(1)
  })

  it("asks again where only previews of the answer were given", async () => {
    const call = { name: "look", args: { at: "a long way from here" } }
    const turn: Turn = { thinking: "Hm.", toolCalls: [call], fault: { kind: "break", afterFrames: 5 } }
    const { provider } = await retrying([turn, { text: ["ok"] }])
    const deltas: string[] = []
    const options = { signal, onToolCallDelta: (delta: ToolCallDelta) => deltas.push(delta.argumentsDelta) }
    expect((await complete(provider, request, options)).text).toBe("ok")
    expect(deltas.length).toBeGreaterThan(0)
    expect(server?.requests).toHaveLength(2)
  })

  it.each<FailureKind>(["bad_key", "forbidden", "context", "too_large", "invalid", "no_model", "quota"])(
    "does not ask again after %s, which would fail again",
    async (kind) => {
      const { provider } = await retrying([failing(kind), { text: ["ok"] }])
      await expect(complete(provider, request, { signal })).rejects.toBeInstanceOf(ModelError)
      expect(server?.requests).toHaveLength(1)
    },
  )

  it("asks again when the model's own output was malformed", async () => {
    const { provider } = await retrying([failing("bad_generation"), { text: ["ok"] }])
    expect((await complete(provider, request, { signal })).text).toBe("ok")
  })

  it("stops waiting when it is aborted", async () => {
    const reason = new Error("enough")
    const { provider } = await retrying([failing("overloaded"), { text: ["ok"] }], () => Promise.reject(reason))
    await expect(complete(provider, request, { signal })).rejects.toBe(reason)
    expect(server?.requests).toHaveLength(1)
  })

  it.each<ModelErrorType>(["auth_error", "context_limit", "invalid_request", "provider_error"])(
    "takes %s for final",
    (errorType) => expect(new ModelError(errorType, "x").retryable).toBe(false),
  )
})
