import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  countChars,
  lockedText,
  openPart,
  pastedPart,
  SEPARATOR,
  wholeText,
  withinLimit,
} from "../../../../packages/web/src/features/prompts/prompt-text.ts"
import {
  effectiveOverrides,
  isOverridden,
  readOverrides,
  saveOverrides,
  withOverride,
} from "../../../../packages/web/src/session/preferences/prompt-overrides.ts"

describe("overrides", () => {
  it("tell a run only what says something, without the white space around it", () => {
    const told = effectiveOverrides({ planner: "  plan small \n", architect: " \n\t ", coder: "" })
    expect(told).toEqual({ planner: "plan small" })
  })

  it("of one node leave the others alone", () => {
    const before = { planner: "a", coder: "b" }
    expect(withOverride(before, "coder", "c")).toEqual({ planner: "a", coder: "c" })
    expect(withOverride(before, "coder", null)).toEqual({ planner: "a" })
    expect(isOverridden({ planner: " " }, "planner")).toBe(false)
  })

  it("are kept for one session, and leave nothing behind when there are none", () => {
    const kept = new Map<string, string>()
    const storage = storageOn(kept)
    saveOverrides(storage, "one", { coder: " as typed " })
    expect(readOverrides(storage, "one")).toEqual({ coder: " as typed " })
    expect(readOverrides(storage, "two")).toEqual({})
    saveOverrides(storage, "one", {})
    expect(kept.size).toBe(0)
  })

  it("are none where something else was stored", () => {
    for (const text of ["no JSON", "[]", '{"coder":1}', "null"]) {
      expect(readOverrides(storageOn(new Map([["switchyard.overrides.one", text]])), "one")).toEqual({})
    }
  })
})

describe("the locked part", () => {
  const locked = lockedText(["Be kind.", "Be brief."], "  You are the coder.\n")

  it("is the rules, then the node's own part", () => {
    expect(locked).toBe("Rules that always hold:\n- Be kind.\n- Be brief.\n\nYou are the coder.")
  })

  it("says of each half that it is still to come", () => {
    expect(lockedText([], "You are the coder.")).toMatch(/^Loading the rules…\n\nYou are/)
    expect(lockedText(["Be kind."], " ")).toMatch(/- Be kind\.\n\nLoading the instructions…$/)
  })

  it("and any text of one's own come apart again", () => {
    fc.assert(
      fc.property(fc.string(), (open) => {
        const text = open.replaceAll("\r", "")
        expect(openPart(wholeText(locked, text), locked)).toBe(text)
      }),
    )
  })

  it("isn't there to be changed: a text that doesn't begin with it has no open part", () => {
    const whole = wholeText(locked, "mine")
    expect(openPart(whole.replace("Be kind.", "Be rude."), locked)).toBeNull()
    expect(openPart(` ${whole}`, locked)).toBeNull()
    expect(openPart("mine", locked)).toBeNull()
  })

  it("is taken off a whole prompt that is pasted, and refused if it was changed", () => {
    const whole = wholeText(locked, "mine\nonly")
    expect(pastedPart(whole, locked)).toEqual({ text: "mine\nonly" })
    expect(pastedPart(whole.replaceAll("\n", "\r\n"), locked)).toEqual({ text: "mine\nonly" })
    expect(pastedPart(`Changed.\n${SEPARATOR}\nmine`, locked)).toEqual({ refused: true })
    expect(pastedPart("just words", locked)).toEqual({ text: "just words" })
  })
})

describe("the limit", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "é", "😀"), maxLength: 12 })

  it("counts what people see", () => {
    expect(countChars("a😀é")).toBe(3)
  })

  it("is never passed, and never costs what stood there before", () => {
    fc.assert(
      fc.property(letters, letters, letters, fc.integer({ min: 1, max: 20 }), (head, tail, typed, limit) => {
        fc.pre(countChars(head + tail) <= limit)
        const { text, end } = withinLimit(head + tail, head + typed + tail, limit)
        expect(countChars(text)).toBe(Math.min(limit, countChars(head + typed + tail)))
        expect(isWithin(head + tail, text)).toBe(true)
        expect(text.isWellFormed()).toBe(true)
        expect(end).toBeLessThanOrEqual(text.length)
      }),
    )
  })

  it("cuts what was pasted over everything", () => {
    expect(withinLimit("default", "x".repeat(5000), 4000)).toEqual({ text: "x".repeat(4000), end: 4000, cut: 1000 })
  })
})

/** Returns true if `other` contains every letter of the text, in the same order. */
function isWithin(text: string, other: string): boolean {
  const rest = Array.from(other)
  return Array.from(text).every((letter) => {
    const at = rest.indexOf(letter)
    return at >= 0 && rest.splice(0, at + 1).length > 0
  })
}

function storageOn(kept: Map<string, string>): Storage {
  return {
    get length() {
      return kept.size
    },
    key: (at) => [...kept.keys()][at] ?? null,
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
    clear: () => kept.clear(),
  }
}
