import { describe, expect, it } from "vitest"
import {
  isFindChord,
  keyNames,
  sequenceFor,
  withCtrl,
} from "../../../../../packages/web/src/features/terminal/controls/keys.ts"

describe("the keys of a phone", () => {
  it("send what a keyboard's do, arrows as the program wants them", () => {
    const sent = (application: boolean) =>
      keyNames.map((key) => sequenceFor(key, { application }).replace("\u001b", "^["))
    expect(sent(false)).toEqual(["^[", "\t", "^[[Z", "^[[D", "^[[A", "^[[B", "^[[C"])
    expect(sent(true)).toEqual(["^[", "\t", "^[[Z", "^[OD", "^[OA", "^[OB", "^[OC"])
  })

  it("make control characters of letters, and leave alone what has none", () => {
    expect(["c", "C", "d", "z", "[", " "].map(withCtrl)).toEqual([
      "\u0003",
      "\u0003",
      "\u0004",
      "\u001a",
      "\u001b",
      "\u0000",
    ])
    expect(["1", "é", "ab", "\r"].map(withCtrl)).toEqual(["1", "é", "ab", "\r"])
  })
})

describe("the chord that finds", () => {
  it("is Ctrl or Command with F alone", () => {
    const chord = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, key: "f" }
    expect(isFindChord({ ...chord, ctrlKey: true })).toBe(true)
    expect(isFindChord({ ...chord, metaKey: true, key: "F" })).toBe(true)
    expect(isFindChord(chord)).toBe(false)
    expect(isFindChord({ ...chord, ctrlKey: true, shiftKey: true })).toBe(false)
    expect(isFindChord({ ...chord, ctrlKey: true, altKey: true })).toBe(false)
  })
})
