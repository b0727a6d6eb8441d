import { matchingPaths } from "@switchyard/core/files/worktrees/matching-paths"
import { expect, it } from "vitest"

it("finds names before folders, and letters in order at last", () => {
  const paths = ["lib/store/index.ts", "src/store.ts", "src/some-template.ts", "docs/a.md"]
  expect(matchingPaths(paths, "store", 8)).toEqual(["src/store.ts", "lib/store/index.ts"])
  expect(matchingPaths(paths, "smtmp", 8)).toEqual(["src/some-template.ts"])
  expect(matchingPaths(paths, "zzz", 8)).toEqual([])
  expect(matchingPaths(paths, "", 2)).toHaveLength(2)
})
