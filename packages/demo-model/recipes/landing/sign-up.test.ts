import assert from "node:assert/strict"
import { test } from "node:test"
import { checkSignUp } from "./sign-up.ts"

test("accepts a name and an address", () => {
  assert.deepEqual(checkSignUp({ name: "Ada", email: "ada@example.org" }), {})
})

test("asks for a name", () => {
  assert.deepEqual(Object.keys(checkSignUp({ name: "  ", email: "ada@example.org" })), ["name"])
})

test("asks for an address that can be one", () => {
  for (const email of ["", "ada", "ada@example", "a da@example.org", "@example.org"]) {
    assert.deepEqual(Object.keys(checkSignUp({ name: "Ada", email })), ["email"])
  }
})
