import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { readContextTokens } from "@switchyard/core/models/local-context"
import { findModelServer } from "@switchyard/functions/local/model-servers"
import { describe, expect, it, onTestFinished } from "vitest"
import { startModelServer } from "../../fixtures/model-server/server.ts"
import { FILES, honestTurn, subjectOf } from "../../model-slips/wire.ts"
import { needs } from "../../needs.ts"
import { npmStart } from "./npm-start.ts"

const asked: string[] = []

/** Starts a server with this listener and resolves to its address. */
async function answering(listener: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`)
    listener(request, response)
  })
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

const listing = (...ids: string[]): RequestListener => {
  return (_, response) => response.end(JSON.stringify({ object: "list", data: ids.map((id) => ({ id })) }))
}

describe("the search for model servers on this machine", () => {
  it("finds the first that lists models, and ignores everything else", async () => {
    const good = await answering(listing("qwen3:8b", "gemma3"))
    const others = await Promise.all([
      answering((_, response) => response.end("<h1>My own program</h1>")),
      answering((_, response) => response.end("{}")),
      answering((_, response) => response.writeHead(404).end()),
      answering(listing()),
      answering(listing("<script>alert(1)</script> ")),
      answering((_, response) => response.writeHead(302, { location: `${good}/models` }).end()),
      answering((request) => request.socket.destroy()),
      answering(() => {}),
    ])
    asked.length = 0
    const servers = [...others, "http://127.0.0.1:1/v1", good, await answering(listing("later"))]
    const found = await findModelServer(servers.map((baseUrl, at) => ({ name: `Server ${at}`, baseUrl })))
    expect(found).toMatchObject({ name: "Server 9", baseUrl: good, models: ["qwen3:8b", "gemma3"] })
    // Each server gets one request for its list. The found server also gets requests for its model's context size. None
    // contains a key.
    expect(asked.slice(0, 10)).toEqual(Array(10).fill("GET /v1/models undefined"))
    expect(asked.slice(10).toSorted()).toEqual([
      "GET /api/ps undefined",
      "GET /api/v0/models undefined",
      "GET /props undefined",
      "POST /api/show undefined",
    ])
    expect(await findModelServer([])).toBeUndefined()
  })
})

describe("the context of a local model", () => {
  it.each([
    ["the loaded model of Ollama", { "/api/ps": { models: [{ name: "qwen3:8b", context_length: 8192 }] } }, 8192],
    [
      "Ollama's setting",
      { "/api/ps": { models: [] }, "/api/show": { parameters: "num_ctx    16384\ntop_k 20" } },
      16_384,
    ],
    ["LM Studio", { "/api/v0/models": { data: [{ id: "qwen3:8b", loaded_context_length: 4096 }] } }, 4096],
    ["llama.cpp", { "/props": { default_generation_settings: { n_ctx: 32_768 } } }, 32_768],
    ["a model that isn't loaded", { "/api/ps": { models: [{ name: "other", context_length: 8192 }] } }, undefined],
    ["any other server", {}, undefined],
  ] as [string, Record<string, object>, number | undefined][])("is read from %s", async (_, pages, expected) => {
    const baseUrl = await answering((request, response) => {
      const page = pages[request.url ?? ""]
      if (page) response.end(JSON.stringify(page))
      else response.writeHead(404).end("Not found")
    })
    const signal = new AbortController().signal
    expect(await readContextTokens({ baseUrl, model: "qwen3:8b" }, { signal })).toBe(expected)
  })
})

/**
 * Starts the product. On a busy machine, its search for model servers may time out, so the test tries up to five times.
 */
async function startFinding() {
  for (let tries = 1; ; tries++) {
    const server = await npmStart({ LOCAL_MODELS: "" })
    await server.printed(/listening on/)
    if (tries === 5 || server.output().includes("Ollama")) return server
    await server.stop()
  }
}

const OLLAMA = 11434
const isFree = await new Promise<boolean>((resolve) => {
  const probe = createServer().once("error", () => resolve(false))
  probe.listen(OLLAMA, "127.0.0.1", () => probe.close(() => resolve(true)))
})

describe("a first start beside Ollama", needs(isFree ? undefined : "a program uses Ollama's port"), () => {
  it("offers its models without a setting, and builds with one; off ignores it", async () => {
    const ollama = await startModelServer((request) => honestTurn(subjectOf(request)), OLLAMA)
    onTestFinished(() => ollama.close())
    await using server = await startFinding()
    const [, url] = await server.printed(/listening on (\S+)\n/)
    await server.printed(/Ollama runs on this machine, so you can choose local\/gpt-5 and 4 more\. LOCAL_MODELS=off/)
    const post = async (path: string, json: object) => {
      const headers = { "content-type": "application/json" }
      return (await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(json) })).json()
    }
    const run = await post("/v1/runs?wait=50", { user_prompt: "Notes.", model: "local/gpt-5" })
    expect(run).toMatchObject({ status: "completed", model: "local/gpt-5" })
    const files = await (await fetch(`${url}/workspace/files?workspace_id=${run.workspace_id}`)).json()
    expect(files.files).toEqual(FILES)
    const before = ollama.lists.length
    await using other = await npmStart({ LOCAL_MODELS: "off" })
    await other.printed(/listening on/)
    await other.stop()
    expect(other.output()).not.toContain("Ollama")
    expect(ollama.lists.length).toBe(before)
  })
})
