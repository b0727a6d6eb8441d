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

function shorten(body: unknown) {
  return fetch(`${url}/links`, { method: "POST", body: JSON.stringify(body) })
}

test("shortens a URL and redirects to it", async () => {
  const created = await shorten({ url: "https://example.com/a/long/path" })
  assert.equal(created.status, 201)
  const { short } = (await created.json()) as { short: string }

  const response = await fetch(short, { redirect: "manual" })
  assert.equal(response.status, 302)
  assert.equal(response.headers.get("location"), "https://example.com/a/long/path")
})

test("lists its links with their visits, and forgets them", async () => {
  const { id } = (await (await shorten({ url: "https://example.com/listed" })).json()) as { id: string }
  await fetch(`${url}/${id}`, { redirect: "manual" })

  const list = (await (await fetch(`${url}/links`)).json()) as { id: string; visits: number }[]
  assert.equal(list.find((link) => link.id === id)?.visits, 1)

  assert.equal((await fetch(`${url}/${id}`, { method: "DELETE" })).status, 200)
  assert.equal((await fetch(`${url}/${id}`, { redirect: "manual" })).status, 404)
})

test("says what is wrong with a request", async () => {
  assert.equal((await shorten({ url: "javascript:alert(1)" })).status, 400)
  assert.equal((await shorten({})).status, 400)
  assert.equal((await fetch(`${url}/nothing`)).status, 404)
})
