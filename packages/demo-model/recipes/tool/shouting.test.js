import assert from "node:assert/strict"
import { test } from "node:test"
import { shout } from "./shouting.js"

test("says it in capital letters", () => {
  assert.equal(shout("so it is"), "SO IT IS")
})

test("refuses a phrase without letters", () => {
  assert.throws(() => shout("?!"), /no letter/)
})
