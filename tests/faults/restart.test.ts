import { sessionKey } from "@switchyard/core/ids"
import { sessionBlobs } from "@switchyard/core/sessions/keys"
import { type Clock, systemClock } from "@switchyard/core/stream"
import { SWEEP_EVERY_MS } from "@switchyard/functions/local/server"
import { describe, expect, it } from "vitest"
import { call } from "./http.ts"
import { serveHere } from "./in-process.ts"
import { temporaryFolder } from "./processes.ts"

const AN_HOUR_MS = 3_600_000

describe("a server that is started again and again", () => {
  it("still removes what was deleted before, when the time for that has come", async () => {
    await using folder = await temporaryFolder()
    const open = (aheadMs = 0) => serveAfterItsSweep(folder.path, aheadMs)
    {
      await using first = await open()
      const body = JSON.stringify({ path: "a.txt", content: "secret", workspace_id: "doomed" })
      const json = { "content-type": "application/json" }
      await call(`${first.server.url}/workspace/file`, { method: "PUT", headers: json, body })
      await call(`${first.server.url}/workspace/session?workspace_id=doomed`, { method: "DELETE" })
    }
    for (let restarts = 0; restarts < 3; restarts++) {
      await using again = await open()
      expect(await blobsOf(again)).not.toEqual([])
    }
    await using last = await open(AN_HOUR_MS)
    expect(await blobsOf(last)).toEqual([])
    expect(last.reported).toEqual([])
  })
})

/** A server that has looked at every hint, as each does that starts. */
async function serveAfterItsSweep(folder: string, aheadMs: number) {
  const swept = Promise.withResolvers<void>()
  const clock: Clock = {
    ...systemClock,
    now: () => systemClock.now() + aheadMs,
    sleep(ms, options) {
      if (ms === SWEEP_EVERY_MS) swept.resolve()
      return systemClock.sleep(ms, options)
    },
  }
  const served = await serveHere({ folder, clock })
  await swept.promise
  return served
}

function blobsOf({ stores }: Awaited<ReturnType<typeof serveAfterItsSweep>>) {
  return Array.fromAsync(stores.blobs.list(sessionBlobs(sessionKey("local", "doomed"))))
}
