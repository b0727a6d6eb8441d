import { expect, it } from "vitest"
import { changedParts } from "../../../packages/web/src/ui/changed-part.ts"

const marked = (before: string, after: string) => {
  const parts = changedParts(before, after)
  return parts && [before.slice(...parts.before), after.slice(...parts.after)]
}

it.each([
  ["const total = sum(items)", "const total = sumOf(items)", ["sum", "sumOf"]],
  ["  return a + b", "  return a + b + c", ["", " + c"]],
  ["let count = 10", "let count = 100", ["10", "100"]],
  ["aa", "aaa", null],
  ["import a from 'a'", "export default 7", null],
  ["", "a", null],
  ["same", "same", null],
])("marks the words that differ between %j and %j", (before, after, parts) => {
  expect(marked(before, after)).toEqual(parts)
})
