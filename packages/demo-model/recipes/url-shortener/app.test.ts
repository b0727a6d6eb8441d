import assert from "node:assert/strict"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { after, test } from "node:test"
import { createApp } from "./app.ts"

const app = createApp().listen(0, "localhost")
await once(app, "listening")
after(() => app.close())

const { port } = app.address() as AddressInfo

async function call(method: string, path: string, body?: unknown) {
  const options = { method, body: JSON.stringify(body), redirect: "manual" } as const
  const response = await fetch(new URL(path, `http://localhost:${port}`), options)
  return { status: response.status, location: response.headers.get("location"), body: await response.json() }
}

test("shortens a URL, redirects to it and counts the visit", async () => {
  const created = await call("POST", "/links", { url: "https://example.com/a/long/path" })
  assert.equal(created.status, 201)

  const { status, location } = await call("GET", created.body.short)
  assert.deepEqual([status, location], [302, "https://example.com/a/long/path"])
  const [link] = (await call("GET", "/links")).body
  assert.deepEqual([link.id, link.visits], [created.body.id, 1])
})

test("forgets a link", async () => {
  const { id } = (await call("POST", "/links", { url: "https://example.com/forgotten" })).body
  assert.equal((await call("DELETE", `/${id}`)).status, 200)
  assert.equal((await call("GET", `/${id}`)).status, 404)
})

test("says what is wrong with a request", async () => {
  assert.equal((await call("POST", "/links", { url: "javascript:alert(1)" })).status, 400)
  assert.equal((await call("POST", "/links", {})).status, 400)
  assert.equal((await call("GET", "/nothing")).status, 404)
})
