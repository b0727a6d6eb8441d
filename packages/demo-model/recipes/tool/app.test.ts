import assert from "node:assert/strict"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { after, test } from "node:test"
import { createApp } from "./app.ts"

const app = createApp().listen(0, "localhost")
await once(app, "listening")
after(() => app.close())

const { port } = app.address() as AddressInfo
const url = `http://localhost:${port}`

function post(body: unknown) {
  return fetch(`${url}/perform`, { method: "POST", body: JSON.stringify(body) })
}

test("answers with the result", async () => {
  const response = await post({ phrase: "so it is" })
  assert.equal(response.status, 200)
  assert.match(await response.text(), /SO IT IS/)
})

test("says what is wrong with the phrase", async () => {
  const response = await post({ phrase: "?!" })
  assert.equal(response.status, 400)
})

test("refuses a body without phrase", async () => {
  assert.equal((await post({})).status, 400)
  assert.equal((await fetch(`${url}/perform`, { method: "POST", body: "{" })).status, 400)
})

test("knows no other path", async () => {
  assert.equal((await fetch(`${url}/nowhere`)).status, 404)
})
