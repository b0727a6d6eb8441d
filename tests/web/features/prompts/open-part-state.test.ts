import { expect, it } from "vitest"
import { editOf, feedbackOn } from "../../../../packages/web/src/features/prompts/open-part-state.ts"

const field = { standard: "Be kind.", limit: 10 }
const feedback = (before: string, after: string, saved = true) =>
  feedbackOn(editOf(before, after, field), { limit: 10, saved })

it("stores what was typed, and nothing where that is the default again", () => {
  expect(editOf("Be kind.", "Be brief.", field)).toEqual({
    text: "Be brief.",
    stored: "Be brief.",
    caret: null,
    isCut: false,
  })
  expect(editOf("Be brief.", "Be kind.", field).stored).toBeNull()
  expect(editOf("Be kind.", "", field).stored).toBe("")
})

it("cuts what is too long, and leaves the caret after what was taken", () => {
  expect(editOf("abcdef", "abcXXXXXXXdef", field)).toEqual({
    text: "abcXXXXdef",
    stored: "abcXXXXdef",
    caret: 7,
    isCut: true,
  })
})

it("says what came of it", () => {
  expect(feedback("a", "b")).toEqual({ text: "Saved", bad: false })
  expect(feedback("a", " \n")).toMatchObject({ text: expect.stringContaining("empty"), bad: false })
  expect(feedback("a", "a".repeat(11))).toMatchObject({ text: expect.stringContaining("10"), bad: true })
  expect(feedback("a", "b", false)).toMatchObject({ text: expect.stringContaining("full"), bad: true })
})
