import assert from "node:assert/strict"
import { test } from "node:test"
import { createSamples, describe, fields, openSamples, starters, summary } from "./samples.ts"

test("lists what was added, the oldest first", () => {
  const samples = createSamples()
  samples.add({ caption: "One sample" })
  samples.add({ caption: "Another sample" })
  assert.deepEqual(
    samples.list().map((sample) => sample.caption),
    ["One sample", "Another sample"],
  )
})

test("refuses an empty caption", () => {
  assert.throws(() => createSamples().add({ caption: "  " }), /caption/)
  assert.throws(() => createSamples().add({}), /caption/)
})

test("notes every field, each as what it is", () => {
  const good = { text: "Good", number: "7", date: "2026-12-31" }
  const values = Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, good[type]]))
  const sample = createSamples().add(values)
  for (const [name, type] of Object.entries(fields)) {
    assert.equal(String(sample[name]), good[type])
    assert.ok(describe(sample).includes(good[type]))
    if (type !== "text") assert.throws(() => createSamples().add({ ...values, [name]: "soon" }), new RegExp(name))
  }
})

test("changes what is named and leaves the rest", () => {
  const samples = createSamples()
  const { id } = samples.add({ caption: "One sample" })
  assert.equal(samples.change(id, { caption: "Another sample" })?.caption, "Another sample")
  assert.equal(samples.change(id, {})?.caption, "Another sample")
  assert.equal(samples.change("nothing", { caption: "One sample" }), undefined)
})

test("flags one and leaves the others alone", () => {
  const samples = createSamples()
  const one = samples.add({ caption: "One sample" })
  const other = samples.add({ caption: "Another sample" })
  assert.equal(samples.flag(one.id)?.flagged, true)
  assert.equal(samples.get(other.id)?.flagged, false)
  assert.equal(samples.flag("nothing"), undefined)
})

test("removes each once", () => {
  const samples = createSamples()
  const { id } = samples.add({ caption: "One sample" })
  assert.notEqual(summary(samples.list()), summary([]))
  assert.equal(samples.remove(id), true)
  assert.equal(samples.remove(id), false)
  assert.deepEqual(samples.list(), [])
})

test("goes on where a saved list ended, and begins a new one with its starters", () => {
  const before = createSamples()
  before.add({ caption: "One sample" })
  const after = openSamples(before.list())
  after.add({ caption: "Another sample" })
  assert.equal(new Set(after.list().map(({ id }) => id)).size, 2)
  assert.deepEqual(
    openSamples()
      .list()
      .map((sample) => sample.caption),
    starters,
  )
})
