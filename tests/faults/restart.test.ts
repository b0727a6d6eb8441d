import { mkdir, readdir } from "node:fs/promises"
import { join } from "node:path"
import { sessionKey } from "@switchyard/core/ids"
import { sessionBlobs } from "@switchyard/core/kernel/keys"
import { type Clock, systemClock } from "@switchyard/core/time"
import { SWEEP_EVERY_MS } from "@switchyard/functions/local/maintenance"
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

describe("the disk of what was deleted", () => {
  it("is given back: the folders of sessions, and the homes of accounts", async () => {
    await using folder = await temporaryFolder()
    const [doomed, kept] = ["doomed", "kept"].map((name) => sessionKey("local", name))
    const places = [
      `projects/${doomed}`,
      `runner/${doomed}`,
      `projects/${kept}`,
      "projects/somebody's own",
      `homes/own/${doomed}`,
      `homes/own/${kept}`,
    ]
    const standing = async () => (await Promise.all(["projects", "runner", "homes", "homes/own"].map(namesIn))).flat()
    const namesIn = (name: string) => readdir(join(folder.path, name))
    {
      await using first = await serveAfterItsSweep(folder.path, 0)
      const json = { "content-type": "application/json" }
      const send = (method: string, path: string, body?: object) =>
        call(`${first.server.url}${path}`, { method, headers: json, body: body && JSON.stringify(body) })
      for (const workspace_id of ["doomed", "kept"])
        await send("PUT", "/workspace/file", { path: "a.txt", content: "a", workspace_id })
      const gone = { name: "gone", provider: "claude", api_key: "sk-ant-api03-Hn4VbQ8sLw2ZrT6m" }
      folder.canaries.note(gone)
      await send("POST", "/api/v1/accounts", gone)
      const [account] = await Array.fromAsync(first.stores.records.range("accounts/local"))
      places.push(`homes/${account?.value.id}`)
      for (const place of places) await mkdir(join(folder.path, place, "deep"), { recursive: true })
      await send("DELETE", "/api/v1/accounts/gone")
      await send("DELETE", "/workspace/session?workspace_id=doomed")
    }
    {
      await using again = await serveAfterItsSweep(folder.path, 0)
      expect(await standing()).toHaveLength(8)
      expect(again.reported).toEqual([])
    }
    await using later = await serveAfterItsSweep(folder.path, 48 * AN_HOUR_MS)
    expect(await standing()).toEqual([kept, "somebody's own", "own", kept])
    expect(later.reported).toEqual([])
  })
})

/** Starts a server, and waits until it has swept all hints once, as every server does at its start. */
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
