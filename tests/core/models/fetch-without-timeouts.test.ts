import { fetchWithoutTimeouts } from "@switchyard/core/models/fetch-without-timeouts"
import { describe, expect, it } from "vitest"
import { startModelServer } from "../../fixtures/model-server/server.ts"

type Agent = new (options: { headersTimeout: number; bodyTimeout: number }) => object

/** Returns the agent that Node's fetch uses as a class that records its options. */
function watchedAgent() {
  const shared = globalThis as unknown as Record<symbol, { constructor: Agent }>
  const Nodes = shared[Symbol.for("undici.globalDispatcher.1")]?.constructor as Agent
  const told: object[] = []
  class Watched extends Nodes {
    constructor(options: { headersTimeout: number; bodyTimeout: number }) {
      super(options)
      told.push(options)
    }
  }
  return { told, Watched }
}

describe("a fetch that has no limits of its own", () => {
  it("is Node's, with an agent that was told so", async () => {
    const { told, Watched } = watchedAgent()
    const send = fetchWithoutTimeouts(Watched)
    expect(told).toEqual([{ headersTimeout: 0, bodyTimeout: 0 }])
    const server = await startModelServer([])
    expect((await send(`${server.url}/v1/models`)).status).toBe(200)
    await server.close()
  })

  it("ends as soon as it is aborted", async () => {
    const server = await startModelServer([{ fault: { kind: "hang", afterFrames: 0 } }])
    const controller = new AbortController()
    const hung = fetchWithoutTimeouts()(`${server.url}/v1/messages`, {
      method: "POST",
      body: "{}",
      signal: controller.signal,
    })
    const failed = expect(hung).rejects.toThrow("enough")
    controller.abort(new Error("enough"))
    await failed
    await server.close()
  })
})
