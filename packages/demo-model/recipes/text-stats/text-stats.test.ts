import assert from "node:assert/strict"
import { test } from "node:test"
import { inLines, textStats } from "./text-stats.ts"

test("counts words, apostrophes and hyphens included", () => {
  assert.equal(textStats("It's a well-known fact").words, 4)
  assert.equal(textStats("  spaces   only between  ").words, 3)
})

test("counts words and characters of any script", () => {
  assert.equal(textStats("Привет, мир").words, 2)
  assert.equal(textStats("👋 hi").characters, 4)
})

test("counts sentences and lines", () => {
  const { sentences, lines } = textStats("One. Two!\nThree? Yes...\n")
  assert.deepEqual({ sentences, lines }, { sentences: 4, lines: 2 })
})

test("rounds reading time up", () => {
  assert.equal(textStats("word ".repeat(201)).minutes, 2)
})

test("refuses a text without words", () => {
  for (const text of ["", "?!"]) assert.throws(() => textStats(text), /no word/)
})

test("shows a line for each count", () => {
  assert.equal(inLines({ words: 2, lines: 1 }), "words: 2\nlines: 1")
})
