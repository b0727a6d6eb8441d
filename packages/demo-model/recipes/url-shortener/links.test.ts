import assert from "node:assert/strict"
import { test } from "node:test"
import { createLinks } from "./links.ts"

test("gives a URL a short code, and the same URL the same code", () => {
  const url = "https://example.com/a/long/path?with=query"
  const links = createLinks()
  const { id } = links.add({ url })
  assert.match(id, /^[a-z1-9]{6}$/)
  assert.equal(links.get(id)?.url, url)
  assert.equal(links.add({ url }).id, id)
  assert.equal(links.list().length, 1)
})

test("refuses what is no web address", () => {
  for (const url of [undefined, "", "example", "javascript:alert(1)", "file:///etc/hosts"]) {
    assert.throws(() => createLinks().add({ url }), /full URL/)
  }
})

test("counts visits", () => {
  const links = createLinks()
  const { id } = links.add({ url: "https://example.com" })
  links.visit(id)
  assert.equal(links.visit(id)?.visits, 2)
  assert.equal(links.visit("nothing"), undefined)
})

test("removes each once, and goes on where a saved list ended", () => {
  const before = createLinks()
  const { id } = before.add({ url: "https://example.com" })
  const after = createLinks(before.list())
  assert.equal(after.get(id)?.url, "https://example.com/")
  assert.deepEqual([after.remove(id), after.remove(id)], [true, false])
})
