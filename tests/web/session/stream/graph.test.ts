import { expect, it } from "vitest"
import { edgeState } from "../../../../packages/web/src/session/stream/graph.ts"

it("shows an edge in use only from a node that is done to one that works", () => {
  expect(edgeState("completed", "active")).toBe("flowing")
  expect(edgeState("completed", "completed")).toBe("done")
  const waiting = [
    ["idle", "active"],
    ["completed", "idle"],
    ["active", "active"],
    ["completed", "error"],
  ] as const
  for (const [from, to] of waiting) expect([from, to, edgeState(from, to)]).toEqual([from, to, "waiting"])
})
