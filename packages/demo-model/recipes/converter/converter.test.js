import assert from "node:assert/strict"
import { test } from "node:test"
import { convert } from "./converter.js"

test("converts temperatures", () => {
  assert.equal(convert("20 C to F"), "68 F")
  assert.equal(convert("-40 °F in °C"), "-40 C")
  assert.equal(convert("0 K to C"), "-273.15 C")
})

test("converts lengths, weights and volumes", () => {
  assert.equal(convert("1 mi to km"), "1.6093 km")
  assert.equal(convert("10 cm in in"), "3.937 in")
  assert.equal(convert("1 kg to lb"), "2.2046 lb")
  assert.equal(convert("2 l to ml"), "2000 ml")
})

test("comes back to where it was", () => {
  assert.equal(convert(convert("12.5 C to F").replace("F", "F to C")), "12.5 C")
})

test("says what is wrong", () => {
  assert.throws(() => convert("20 C to kg"), /C is a temperature, but kg is a weight/)
  assert.throws(() => convert("20 C to bananas"), /no unit "bananas"/)
  assert.throws(() => convert("hello"), /Ask like this/)
})
