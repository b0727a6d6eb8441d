import { sessionKey } from "@switchyard/core/ids"
import { logName } from "@switchyard/core/kernel/keys"
import { sweep } from "@switchyard/core/work/runs/sweep"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { modelFor, subjectOf } from "../../../core/work/workflow/model.ts"
import { framesOf, startServer, type TestServer } from "../../server.ts"

const options = { signal: new AbortController().signal }
const SID = sessionKey("local", "doomed")
const QUARTER_MS = 16 * 60_000
const KEY = "gsk_a-key-that-nobody-may-find"

let server: TestServer
let hanging: PromiseWithResolvers<void>
let hung: PromiseWithResolvers<void>
let left: boolean

/** Starts a server whose model hangs on the first run's second file until it is aborted. */
beforeEach(async () => {
  hanging = Promise.withResolvers()
  hung = Promise.withResolvers()
  left = false
  let first = true
  const scripted = modelFor(["a.txt", "b.txt"], (request) => {
    if (!first || subjectOf(request) !== "b.txt") return undefined
    first = false
    hung.resolve()
    return [hanging.promise]
  })
  server = await startServer({
    scripted: {
      name: "scripted",
      async *stream(request, { signal }) {
        signal.addEventListener("abort", () => {
          left = true
        })
        yield* scripted.stream(request, { signal })
      },
    },
  })
})
afterEach(() => server.close())

const start = async () =>
  (
    await server.call("POST", "/v1/runs", {
      json: { user_prompt: "A page", workspace_id: "doomed", model: "scripted/demo", api_key: KEY },
    })
  ).body.run_id
const files = async () => (await server.call("GET", "/workspace/files?workspace_id=doomed")).body.files
const remove = () => server.call("DELETE", "/workspace/session?workspace_id=doomed")
const sealedKeys = () => Array.fromAsync(server.stores.records.range("run-keys", options))
const blobs = (incarnation: number) => Array.fromAsync(server.stores.blobs.list(`s/${SID}/${incarnation}/`, options))
const firstSeq = async () => {
  for await (const { seq } of server.core().log.read(logName(SID), 0, options)) return seq
}

/** Sweeps as if this many milliseconds had passed. */
async function sweepLater(aheadMs: number) {
  await sweep(server.core({ aheadMs }).sweep, options)
}

/** Waits for something that the server does by itself within a second or two. */
async function until(condition: () => boolean | Promise<boolean>) {
  while (!(await condition())) await server.call("GET", "/status")
}
const untilLeft = () => until(() => left)

describe("a session that is deleted while a run is at work in it", () => {
  it("ends the run for everyone, stops its executor, and leaves no key behind", async () => {
    const run = await start()
    await hung.promise
    expect(Object.keys(await files())).toEqual(["a.txt"])
    expect(await sealedKeys()).toHaveLength(1)
    const stream = server.call("GET", `/v1/runs/${run}/stream`)
    const events = server.call("GET", `/v1/runs/${run}/events`, { headers: { accept: "text/event-stream" } })
    expect((await remove()).body).toEqual({ workspace_id: "doomed", deleted: true })
    expect(framesOf((await stream).text).at(-1)?.event).toBe("error")
    expect(framesOf((await events).text).at(-1)?.data).toEqual({ status: "cancelled" })
    expect((await server.call("GET", `/v1/runs/${run}`)).body.error.code).toBe("run_not_found")
    expect((await server.call("GET", "/v1/runs")).body.runs).toEqual([])
    await untilLeft()
    await until(async () => (await sealedKeys()).length === 0)
    expect(server.reported).toEqual([])
  })

  it("is a new one when it is opened again, also while the old executor and the old files are still there", async () => {
    await start()
    await hung.promise
    await remove()
    expect(await files()).toEqual({})
    const { status } = await server.run({ user_prompt: "A page", workspace_id: "doomed" })
    expect(status).toBe("completed")
    await untilLeft()
    expect(Object.keys(await files())).toEqual(["a.txt", "b.txt"])
    expect((await server.call("GET", "/v1/runs")).body.runs).toHaveLength(1)
  })

  it("loses its data when nobody can write to it any more, and not before", async () => {
    await start()
    await hung.promise
    await remove()
    await untilLeft()
    await sweepLater(0)
    expect(await blobs(1)).not.toEqual([])
    await sweepLater(QUARTER_MS)
    expect(await blobs(1)).toEqual([])
    expect((await server.call("POST", "/workspace/session/touch?workspace_id=doomed")).status).toBe(200)
    expect(await files()).toEqual({})
  })

  it("loses its old data under the new one's feet without harm", async () => {
    await start()
    await hung.promise
    await remove()
    await server.call("PUT", "/workspace/file", { json: { path: "new.txt", content: "new", workspace_id: "doomed" } })
    await untilLeft()
    await sweepLater(QUARTER_MS)
    expect(await blobs(1)).toEqual([])
    expect(await firstSeq()).toBeGreaterThan(1)
    expect(await files()).toEqual({ "new.txt": "new" })
    await server.call("PUT", "/workspace/file", { json: { path: "b.txt", content: "b", workspace_id: "doomed" } })
    expect(Object.keys(await files())).toEqual(["b.txt", "new.txt"])
  })
})
