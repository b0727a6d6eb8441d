import { describe, expect, it } from "vitest"
import { createShortcutMatcher, type Press } from "../../../packages/web/src/shell/shortcut-matcher.ts"

const press = (key: string, change: Partial<Press> = {}): Press => ({
  ...{ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, timeStamp: 0 },
  ...change,
})
const free = { takesLetters: false, isControl: false }
const typing = { takesLetters: true, isControl: false }
const once = (one: Press, focus = free) => createShortcutMatcher()(one, focus)

describe("a chord", () => {
  it("is heard everywhere, with Ctrl or the command key", () => {
    expect(once(press("k", { ctrlKey: true }))).toBe("palette")
    expect(once(press("K", { metaKey: true }), typing)).toBe("palette")
    expect(once(press("Enter", { ctrlKey: true }), typing)).toBe("run")
    expect(once(press("F6"), typing)).toBe("next-region")
    expect(once(press("F6", { shiftKey: true }), typing)).toBe("previous-region")
  })

  it("isn't heard here where a part of the screen has it", () => {
    expect(once(press("s", { ctrlKey: true }))).toBeUndefined()
  })
})

describe("a letter", () => {
  it("is a shortcut only where it isn't text", () => {
    expect(once(press("l"))).toBe("live")
    expect(once(press("L"))).toBe("live")
    expect(once(press("l"), typing)).toBeUndefined()
  })

  it("isn't one with a modifier, which the browser has a use for", () => {
    expect(once(press("l", { ctrlKey: true }))).toBeUndefined()
    expect(once(press("l", { metaKey: true }))).toBeUndefined()
    expect(once(press("l", { altKey: true }))).toBeUndefined()
  })

  it("leaves the space bar to the control that has the focus", () => {
    expect(once(press(" "))).toBe("play")
    expect(once(press(" "), { takesLetters: false, isControl: true })).toBeUndefined()
  })
})

describe("a pair of letters", () => {
  const pair = (...presses: Press[]) => {
    const match = createShortcutMatcher()
    return presses.map((one) => match(one, free))
  }

  it("is heard with its second letter, if that comes soon", () => {
    expect(pair(press("g"), press("h", { timeStamp: 1_499 }))).toEqual([undefined, "go-home"])
    expect(pair(press("g"), press("h", { timeStamp: 1_500 }))).toEqual([undefined, undefined])
  })

  it("is over after two letters, whatever they were", () => {
    expect(pair(press("g"), press("x"), press("h"))).toEqual([undefined, undefined, undefined])
    expect(pair(press("g"), press("g"), press("h"))).toEqual([undefined, undefined, undefined])
    expect(pair(press("g"), press("l"))).toEqual([undefined, undefined])
  })

  it("isn't begun by a letter that is typed as text", () => {
    const match = createShortcutMatcher()
    match(press("g"), typing)
    expect(match(press("h"), free)).toBeUndefined()
  })
})
