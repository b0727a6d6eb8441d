import assert from "node:assert/strict"
import { test } from "node:test"
import { slugify } from "./slugs.ts"

test("joins words with hyphens", () => {
  assert.equal(slugify("  Hello, World!  "), "hello-world")
  assert.equal(slugify("a_b/c.d"), "a-b-c-d")
})

test("takes accents away and keeps other scripts", () => {
  assert.equal(slugify("Crème brûlée"), "creme-brulee")
  assert.equal(slugify("Привет мир"), "привет-мир")
})

test("cuts at a word", () => {
  assert.equal(slugify("one two three", 9), "one-two")
  assert.equal(slugify("x".repeat(100)).length, 60)
})

test("refuses a text without letters and digits", () => {
  assert.throws(() => slugify("?!"), /no letter or digit/)
})
