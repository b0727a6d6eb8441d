import { expect, it } from "vitest"
import { isSubmitKey } from "../../../packages/web/src/ui/submit-key.ts"

const enter = { key: "Enter", keyCode: 13, shiftKey: false, ctrlKey: false, metaKey: false, isComposing: false }
const on = { enterSends: true, touch: false }

it("sends a text with Enter alone", () => {
  expect(isSubmitKey(enter, on)).toBe(true)
  expect(isSubmitKey({ ...enter, key: "a" }, on)).toBe(false)
  expect(isSubmitKey({ ...enter, shiftKey: true }, on)).toBe(false)
})

it("leaves Enter to an input method, to a touch keyboard, and to those who switched it off", () => {
  expect(isSubmitKey({ ...enter, isComposing: true }, on)).toBe(false)
  // Safari ends an IME composition before it reports the key.
  expect(isSubmitKey({ ...enter, keyCode: 229 }, on)).toBe(false)
  expect(isSubmitKey({ ...enter, keyCode: 229, ctrlKey: true }, on)).toBe(false)
  expect(isSubmitKey(enter, { ...on, touch: true })).toBe(false)
  expect(isSubmitKey(enter, { ...on, enterSends: false })).toBe(false)
})

it("sends a text with Enter and Ctrl or Command whatever is set", () => {
  for (const held of [{ ctrlKey: true }, { metaKey: true }]) {
    expect(isSubmitKey({ ...enter, ...held }, { enterSends: false, touch: true })).toBe(true)
    expect(isSubmitKey({ ...enter, ...held, isComposing: true }, on)).toBe(false)
    expect(isSubmitKey({ ...enter, ...held, key: "a" }, on)).toBe(false)
  }
})
