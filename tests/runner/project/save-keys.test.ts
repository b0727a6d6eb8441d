import type { SavedProject } from "@switchyard/core/files/worktrees/checkpoint-schema"
import { obsoleteKeys, piecesOf } from "@switchyard/runner/project/save-keys"
import { expect, it } from "vitest"

const session = { sid: "ses_1", incarnation: 1 }
const save = (bundles: string[], ...pieces: string[][]): SavedProject => ({
  bundles: bundles.map((key) => ({ key, size_bytes: 1 })),
  tip: null,
  memories: pieces.map((each, index) => ({
    cli: "mock",
    account: `${index}`,
    native_session_id: "n",
    files: [{ path: "f", size_bytes: 1, pieces: each }],
  })),
})

it("frees what only the older save has, and nothing that the newer one shares with it", () => {
  const before = save(["one", "two"], ["a", "b"], ["b", "c"])
  const after = save(["two", "three"], ["b"])
  const keys = obsoleteKeys(session, before, after)
  expect(keys).toHaveLength(3)
  expect(keys).toEqual(["one", expect.stringMatching(/\/pieces\/a$/), expect.stringMatching(/\/pieces\/c$/)])
  expect(obsoleteKeys(session, before, before)).toEqual([])
  expect(piecesOf(before)).toEqual(["a", "b", "b", "c"])
})
