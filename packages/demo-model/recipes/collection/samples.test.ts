import assert from "node:assert/strict"
import { test } from "node:test"
import { createSamples } from "./samples.ts"

test("lists what was added, in that order", () => {
  const samples = createSamples()
  samples.add("One sample")
  samples.add("Another sample")
  assert.deepEqual(
    samples.list().map((sample) => sample.caption),
    ["One sample", "Another sample"],
  )
})

test("refuses an empty caption", () => {
  assert.throws(() => createSamples().add("  "), /a caption/)
})

test("flags one and leaves the others alone", () => {
  const samples = createSamples()
  const one = samples.add("One sample")
  const other = samples.add("Another sample")
  assert.equal(samples.flag(one.id)?.flagged, true)
  assert.equal(samples.get(other.id)?.flagged, false)
  assert.equal(samples.flag("nothing"), undefined)
})

test("removes each once", () => {
  const samples = createSamples()
  const { id } = samples.add("One sample")
  assert.equal(samples.remove(id), true)
  assert.equal(samples.remove(id), false)
  assert.deepEqual(samples.list(), [])
})

test("goes on where a saved list ended", () => {
  const before = createSamples()
  before.add("One sample")
  const after = createSamples(before.list())
  after.add("Another sample")
  assert.equal(new Set(after.list().map(({ id }) => id)).size, 2)
})
