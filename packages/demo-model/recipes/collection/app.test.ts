import assert from "node:assert/strict"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { after, test } from "node:test"
import { createApp } from "./app.ts"
import { createSamples } from "./samples.ts"

const app = createApp(createSamples()).listen(0, "localhost")
await once(app, "listening")
after(() => app.close())

const { port } = app.address() as AddressInfo
const url = `http://localhost:${port}`

async function call(method: string, path: string, body?: unknown) {
  const response = await fetch(url + path, { method, body: body === undefined ? undefined : JSON.stringify(body) })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

test("adds a sample, shows it and lists it", async () => {
  const added = await call("POST", "/samples", { caption: "One sample" })
  assert.equal(added.status, 201)
  assert.equal(added.body.caption, "One sample")
  assert.deepEqual((await call("GET", `/samples/${added.body.id}`)).body, added.body)
  assert.deepEqual((await call("GET", "/samples")).body, [added.body])
})

test("changes a sample", async () => {
  const { body: sample } = await call("POST", "/samples", { caption: "One sample" })
  const changed = await call("PATCH", `/samples/${sample.id}`, { caption: "Another sample" })
  assert.deepEqual(changed.body, { ...sample, caption: "Another sample" })
  assert.equal((await call("PATCH", "/samples/nothing", { caption: "One sample" })).status, 404)
})

test("flags and removes a sample", async () => {
  const { body: sample } = await call("POST", "/samples", { caption: "Another sample" })
  assert.equal((await call("POST", `/samples/${sample.id}/flag`)).body.flagged, true)
  assert.equal((await call("DELETE", `/samples/${sample.id}`)).status, 200)
  assert.equal((await call("GET", `/samples/${sample.id}`)).status, 404)
})

test("says what is wrong with a request", async () => {
  assert.equal((await call("POST", "/samples", { caption: "" })).status, 400)
  assert.equal((await call("POST", "/samples", {})).status, 400)
  assert.equal((await call("PUT", "/samples")).status, 405)
  assert.equal((await call("GET", "/nowhere")).status, 404)
})
