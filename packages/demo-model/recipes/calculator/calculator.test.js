import assert from "node:assert/strict"
import { test } from "node:test"
import { evaluate } from "./calculator.js"

test("multiplies before it adds", () => {
  assert.equal(evaluate("2 + 3 * 4"), 14)
  assert.equal(evaluate("2 * (3 + 4)"), 14)
})

test("goes from left to right, but powers from right to left", () => {
  assert.equal(evaluate("10 - 4 - 3"), 3)
  assert.equal(evaluate("24 / 4 / 2"), 3)
  assert.equal(evaluate("2 ^ 3 ^ 2"), 512)
})

test("knows signs", () => {
  assert.equal(evaluate("-2 ^ 2"), -4)
  assert.equal(evaluate("3 - -2"), 5)
})

test("adds decimals as people do", () => {
  assert.equal(evaluate("0.1 + 0.2"), 0.3)
  assert.equal(evaluate(".5 * 4"), 2)
})

test("says what is wrong", () => {
  assert.throws(() => evaluate("2 +"), /ends too early/)
  assert.throws(() => evaluate("(2"), /bracket is missing/)
  assert.throws(() => evaluate("2 apples"), /"a" was not expected/)
  assert.throws(() => evaluate("1 / 0"), /not a number/)
  assert.throws(() => evaluate("10 ^ 400"), /not a number/)
})
