import { AppError } from "@switchyard/core/errors"
import { errorEnvelope, errorResponse } from "@switchyard/functions/http/errors"
import { keepAliveJson } from "@switchyard/functions/http/keep-alive-json"
import { Hono } from "hono"
import { beforeEach, describe, expect, it } from "vitest"

/** Pending sleeps. The test ends them with `wake`. */
let sleeping: { ms: number; wake: () => void }[] = []
const clock = {
  now: () => 0,
  monotonic: () => 0,
  sleep: (ms: number) => new Promise<void>((wake) => sleeping.push({ ms, wake })),
}
let answer: PromiseWithResolvers<object>
let disconnected: AbortController
beforeEach(() => {
  sleeping = []
  answer = Promise.withResolvers()
  disconnected = new AbortController()
})

const failures = { report: () => {}, verbose: false }
const app = new Hono()
  .get("/", (c) => {
    const envelope = (error: unknown) => errorEnvelope(error, failures)
    return keepAliveJson(c, answer.promise, { clock, firstByteWithinMs: 25_000, disconnected, envelope })
  })
  .onError((error, c) => errorResponse(error, c, failures))

const failed = new AppError("workflow_error", "The model is gone.", { run_id: "run_1" })
const told = { error: { code: "workflow_error", message: "The model is gone.", details: { run_id: "run_1" } } }

/** Requests an answer and lets its deadline pass, so that the response begins before the answer is known. */
async function late(): Promise<{ response: Response; reader: ReadableStreamDefaultReader<Uint8Array> }> {
  const asked = app.request("/")
  sleeping.at(-1)?.wake()
  const response = await asked
  const reader = response.body?.getReader()
  if (!reader) throw new Error("It has no body.")
  return { response, reader }
}

async function rest(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for (let next = await reader.read(); !next.done; next = await reader.read()) chunks.push(next.value)
  return Buffer.concat(chunks).toString()
}

describe("an answer that may take long", () => {
  it("is as any other if it is there in time, and so is its failure", async () => {
    const asked = app.request("/")
    expect(sleeping.map(({ ms }) => ms)).toEqual([25_000])
    answer.resolve({ status: "DONE" })
    const response = await asked
    expect([response.status, await response.text()]).toEqual([200, '{"status":"DONE"}'])

    answer = Promise.withResolvers()
    const refused = app.request("/")
    answer.reject(failed)
    expect((await refused).status).toBe(500)
    expect(await (await refused).json()).toEqual(told)
  })

  it("begins in time, says a space now and then, and ends with its JSON", async () => {
    const { response, reader } = await late()
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"])
    const first = await reader.read()
    const second = reader.read()
    expect(sleeping.at(-1)?.ms).toBe(10_000)
    sleeping.at(-1)?.wake()
    const said = Buffer.concat([first.value ?? Buffer.from(""), (await second).value ?? Buffer.from("")]).toString()
    expect(said).toBe("  ")
    answer.resolve({ status: "DONE" })
    expect(JSON.parse(said + (await rest(reader)))).toEqual({ status: "DONE" })
  })

  it("has the envelope for a body if it fails after it began", async () => {
    const { response, reader } = await late()
    answer.reject(failed)
    expect(response.status).toBe(200)
    expect(JSON.parse(await rest(reader))).toEqual(told)
  })

  it("is no longer wanted when its reader leaves", async () => {
    const { reader } = await late()
    expect(disconnected.signal.aborted).toBe(false)
    await reader.cancel()
    expect(disconnected.signal.aborted).toBe(true)
  })
})
