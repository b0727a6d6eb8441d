import { expect, it } from "vitest"
import { droppedOn, neighbourOf } from "../../../../../packages/web/src/features/team/board/board-order.ts"

const nodes = [
  { id: "done", status: "completed" },
  { id: "a", status: "assigned" },
  { id: "busy", status: "running" },
  { id: "b", status: "pending" },
  { id: "c", status: "pending" },
] as const

it("finds the place that a node has when it changes places with the next one that hasn't begun", () => {
  expect(neighbourOf(nodes, "b", -1)).toBe("a")
  expect(neighbourOf(nodes, "a", 1)).toBe("c")
  expect(neighbourOf(nodes, "b", 1)).toBe(null)
  expect([neighbourOf(nodes, "a", -1), neighbourOf(nodes, "c", 1), neighbourOf(nodes, "busy", 1)]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

it("finds the place of a node that is dropped on the upper or the lower half of another", () => {
  expect(droppedOn(nodes, { dragged: "c", target: "a", half: "upper" })).toBe("a")
  expect(droppedOn(nodes, { dragged: "c", target: "a", half: "lower" })).toBe("busy")
  expect(droppedOn(nodes, { dragged: "a", target: "c", half: "lower" })).toBe(null)
  expect(droppedOn(nodes, { dragged: "c", target: "b", half: "lower" })).toBe(null)
})
