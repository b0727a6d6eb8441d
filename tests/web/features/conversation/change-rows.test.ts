import { expect, it } from "vitest"
import { changeCounts, changeRows } from "../../../../packages/web/src/features/conversation/change-rows.ts"

it("reads an edit's lines, and marks what differs in those that were replaced one by one", () => {
  const diff = "-const total = 1\n+const total = 2\n+import more from 'more'"
  expect(changeCounts(diff)).toEqual({ additions: 2, deletions: 1 })
  expect(changeRows(diff).map(({ changed }) => changed)).toEqual([[[14, 15]], [[14, 15]], undefined])
  const [removed, added] = changeRows("-const total = 1\n+const total = 2")
  expect(removed).toMatchObject({ type: "delete", text: "const total = 1", changed: [[14, 15]] })
  expect(added).toMatchObject({ type: "add", changed: [[14, 15]] })
})
