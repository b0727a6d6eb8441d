import { describe, expect, it } from "vitest"
import {
  beginGesture,
  moveGesture,
  noGesture,
} from "../../../../../packages/web/src/features/terminal/emulator/touch-gesture.ts"

const at = (clientX: number, clientY: number) => ({ clientX, clientY })

describe("two fingers on a terminal", () => {
  it("zoom by how far they go apart", () => {
    const gesture = beginGesture(noGesture, [at(0, 0), at(30, 40)], 1)
    expect(moveGesture(gesture, [at(0, 0), at(60, 80)], { zoom: 1, rowPx: 10 }).zoom).toBe(2)
  })

  it("go on from the zoom that there is", () => {
    const gesture = beginGesture(noGesture, [at(0, 0), at(0, 100)], 2)
    expect(moveGesture(gesture, [at(0, 0), at(0, 100)], { zoom: 2, rowPx: 10 }).zoom).toBe(2)
    expect(moveGesture(gesture, [at(0, 0), at(0, 50)], { zoom: 2, rowPx: 10 }).zoom).toBe(1)
  })
})

describe("one finger on a terminal", () => {
  it("scrolls by whole lines, and leaves the rest of its way for the next movement", () => {
    const began = beginGesture(noGesture, [at(0, 100)], 1)
    const first = moveGesture(began, [at(0, 75)], { zoom: 1, rowPx: 10 })
    expect(first.lines).toBe(2)
    expect(moveGesture(first.gesture, [at(0, 69)], { zoom: 1, rowPx: 10 }).lines).toBe(1)
    expect(moveGesture(first.gesture, [at(0, 95)], { zoom: 1, rowPx: 10 }).lines).toBe(-1)
  })

  it("is left to the browser in a terminal that is larger than its frame", () => {
    const began = beginGesture(noGesture, [at(0, 100)], 2)
    expect(moveGesture(began, [at(0, 10)], { zoom: 2, rowPx: 10 })).toEqual({ gesture: began })
  })
})
