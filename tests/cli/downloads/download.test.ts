import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { systemClock } from "@switchyard/core/time"
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest"
import { downloadZip } from "../../../packages/cli/src/downloads/download.ts"
import { createRetryPolicy } from "../../../packages/cli/src/server/retry.ts"
import { startServer, type TestServer } from "../../functions/server.ts"

const signal = new AbortController().signal
const zip = randomBytes(2_000_000)
const CUTS = [700_000, 5, 900_000]
/** Bytes in flight at a cut, which are downloaded again: the buffers of a socket and two streams. */
const IN_FLIGHT = 200_000

let server: TestServer
let folder: string
let proxy: Awaited<ReturnType<typeof startCuttingProxy>>
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "switchyard-download-"))
  proxy = await startCuttingProxy(server.url, CUTS)
})
afterEach(async () => {
  proxy.close()
  await rm(folder, { recursive: true })
})

it("goes on where it was cut", async () => {
  await server.stores.blobs.put("s/one/1/artifacts/a.zip", zip)
  await download(() => "s/one/1/artifacts/a.zip")
  expect((await readFile(join(folder, "a.zip"))).equals(zip)).toBe(true)
  expect(proxy.passed()).toBeLessThan(zip.length + CUTS.length * IN_FLIGHT)
})

it("begins anew where the project changed between two tries", async () => {
  await server.stores.blobs.put("s/one/1/artifacts/b.zip", randomBytes(2_000_000))
  await server.stores.blobs.put("s/one/1/artifacts/c.zip", zip)
  let tries = 0
  await download(() => (tries++ === 0 ? "s/one/1/artifacts/b.zip" : "s/one/1/artifacts/c.zip"))
  expect((await readFile(join(folder, "a.zip"))).equals(zip)).toBe(true)
})

async function download(key: () => string): Promise<void> {
  const retryDeps = { clock: systemClock, random: () => 0, outageMs: 60_000, notice: () => {} }
  const downloadUrl = async () => {
    const url = await server.stores.blobs.signedUrl(key(), { expiresInSeconds: 60, filename: "a.zip" })
    return new URL(url.replace(server.url, proxy.url))
  }
  const deps = { api: { downloadUrl } as never, storeRetries: createRetryPolicy(retryDeps) }
  await downloadZip(deps, "ws-1", join(folder, "a.zip"), { overwrite: true, signal })
}

/** Starts a proxy that cuts connection n after `cuts[n]` bytes of the response. Later connections are not cut. */
async function startCuttingProxy(target: string, cuts: number[]) {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let connections = 0
  let passed = 0
  const listener = createServer((client) => {
    let left = cuts[connections++] ?? Number.POSITIVE_INFINITY
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on("error", () => {})
    }
    client.pipe(upstream)
    upstream.on("data", (chunk) => {
      const part = chunk.subarray(0, left)
      left -= part.length
      passed += part.length
      client.write(part, () => left === 0 && client.destroy())
      if (left === 0) upstream.destroy()
    })
    upstream.on("end", () => client.end())
  }).listen(0, "127.0.0.1")
  await once(listener, "listening")
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    passed: () => passed,
    close() {
      for (const socket of sockets) socket.destroy()
      listener.close()
    },
  }
}
