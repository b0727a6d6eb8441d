import assert from "node:assert/strict"
import { test } from "node:test"
import { generateId } from "./ids.js"

test("is as long as asked", () => {
  assert.equal(generateId(4).length, 4)
  assert.equal(generateId("64").length, 64)
  assert.equal(generateId().length, 16)
})

test("is safe in URLs and file names, and easy to read", () => {
  assert.match(generateId(64), /^[a-hjkmnp-z1-9]+$/)
})

test("is never the same twice", () => {
  const ids = Array.from({ length: 1000 }, () => generateId())
  assert.equal(new Set(ids).size, 1000)
})

test("refuses what is too short, too long or no number", () => {
  for (const length of [3, 65, 4.5, "long"]) assert.throws(() => generateId(length), /from 4 to 64/)
})
