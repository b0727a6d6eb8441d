import assert from "node:assert/strict"
import { test } from "node:test"
import { generatePassword } from "./passwords.ts"

test("is as long as asked", () => {
  assert.equal(generatePassword(8).length, 8)
  assert.equal(generatePassword("128").length, 128)
})

test("has characters of every kind, and none that look alike", () => {
  for (let turn = 0; turn < 100; turn += 1) {
    const password = generatePassword(8)
    for (const kind of [/[a-z]/, /[A-Z]/, /[2-9]/, /[!#%+:=?@]/]) assert.match(password, kind)
    assert.doesNotMatch(password, /[lo01IO]/)
  }
})

test("is never the same twice", () => {
  const passwords = Array.from({ length: 100 }, () => generatePassword(16))
  assert.equal(new Set(passwords).size, 100)
})

test("refuses what is too short, too long or no number", () => {
  for (const length of [7, 129, 8.5, "long"]) assert.throws(() => generatePassword(length), /from 8 to 128/)
})
