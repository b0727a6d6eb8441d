import { format } from "node:util"
import { ModelError } from "@switchyard/core/models/errors"
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { modelFor, subjectOf } from "../core/work/workflow/model.ts"
import { startServer, type TestServer } from "./server.ts"

// As long and varied as a real key, so that it can't match by chance.
const KEY = "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"

let server: TestServer
let failing: boolean
let hung: PromiseWithResolvers<void>
let hanging: PromiseWithResolvers<void>
const printed: string[] = []

beforeAll(async () => {
  const scripted = modelFor(["index.html"], (request) => {
    if (subjectOf(request) !== "index.html" || request.messages.at(-1)?.role === "tool") return undefined
    if (failing) return new ModelError("auth_error", "The provider refused the key.")
    hung.resolve()
    return [hanging.promise, { type: "text", text: "Nothing to say." }, { type: "end", stopReason: "end" }]
  })
  server = await startServer({ scripted, leaks: true, env: { EXPOSE_VERBOSE_ERRORS: "yes" } })
})
beforeEach(() => {
  for (const method of ["log", "info", "warn", "error", "debug"] as const) {
    vi.spyOn(console, method).mockImplementation((...said) => void printed.push(format(...said)))
  }
})
afterAll(() => server.close())

const encodings = ["utf8", "base64", "hex", "utf16le"] as const
/** Returns the encodings in which a part of the key occurs. */
function findings(where: string, bytes: Buffer): string[] {
  const part = KEY.slice(10, 40)
  return encodings.flatMap((encoding) => {
    const needle =
      encoding === "utf16le" ? Buffer.from(part, "utf16le") : Buffer.from(Buffer.from(part).toString(encoding))
    return bytes.includes(needle) ? [`${where} as ${encoding}`] : []
  })
}

async function keptFindings(): Promise<string[]> {
  return [...(await server.kept())].flatMap(([file, bytes]) => findings(file, bytes))
}

const sealed = async () => (await Array.fromAsync(server.stores.records.range("run-keys"))).length

describe.each([
  ["the body", { api_key: KEY }, undefined],
  ["the header", {}, { "x-api-key": ` ${KEY} ` }],
])("a key in %s", (_, inBody, headers) => {
  const request = { user_prompt: "A page", model: "scripted/demo", ...inBody }
  const said: string[] = []
  const call = async (method: string, path: string, json?: object) => {
    const answer = await server.call(method, path, { json, headers })
    said.push(answer.text, JSON.stringify([...answer.headers]))
    return answer
  }

  it.each([false, true])(
    "is sealed while its run lives, erased after it, and nowhere else (failing: %s)",
    async (fails) => {
      failing = fails
      hung = Promise.withResolvers()
      hanging = Promise.withResolvers()
      const { run_id } = (await call("POST", "/v1/runs", request)).body
      if (!fails) {
        await hung.promise
        expect(await sealed()).toBe(1)
        expect(await keptFindings()).toEqual([])
        hanging.resolve()
      }
      await server.ended(run_id)
      expect((await call("GET", `/v1/runs/${run_id}`)).body.status).toBe("failed")
      while ((await sealed()) > 0) await call("GET", "/status")
      for (const name of ["events", "stream"]) await call("GET", `/v1/runs/${run_id}/${name}`)
      expect(await keptFindings()).toEqual([])
      expect(findings("answers", Buffer.from(said.join("\n")))).toEqual([])
    },
  )

  it("is in no refusal, no report, and nothing that is printed", async () => {
    for (const wrong of [
      { ...request, user_prompt: " " },
      { ...request, user_prompt: 1 },
      { ...request, recursion_limit: "x" },
      { ...request, model: "groq/" },
      { ...request, workspace_id: "../x" },
      { ...request, api_key: [KEY] },
      { ...request, model: "groq/some", api_key: `${KEY}\u00e9` },
    ]) {
      for (const path of ["/generate", "/stream", "/v1/runs"])
        expect((await call("POST", path, wrong)).status).toBe(422)
    }
    await call("GET", "/workspace/tree")
    expect(findings("answers", Buffer.from(said.join("\n")))).toEqual([])
    expect(await keptFindings()).toEqual([])
    const reported = server.reported.map((error) => `${error} ${JSON.stringify(error)} ${(error as Error).stack}`)
    expect(findings("reports", Buffer.from(reported.join("\n")))).toEqual([])
    expect(findings("the console", Buffer.from(printed.join("")))).toEqual([])
  })
})

describe("what looks for the key", () => {
  it("finds it where it is", async () => {
    await server.call("PUT", "/workspace/file", { json: { path: "key.txt", content: `The key is ${KEY}.` } })
    expect((await keptFindings()).length).toBeGreaterThan(0)
    await server.call("DELETE", "/workspace/session")
  })
})
