import { describe, expect, it } from "vitest"
import { fontFor, gridFor } from "../../../../../packages/web/src/features/terminal/emulator/grid.ts"

const cell = { width: 8, height: 16 }

describe("the grid of a terminal", () => {
  it("has as many whole rows and columns as there is room for", () => {
    expect(gridFor({ width: 807, height: 495 }, cell)).toEqual({ rows: 30, cols: 100 })
  })

  it("is never too small for a program to draw in, nor so large that the runner refuses it", () => {
    expect(gridFor({ width: 10, height: 10 }, cell)).toEqual({ rows: 5, cols: 20 })
    expect(gridFor({ width: 90_000, height: 90_000 }, cell)).toEqual({ rows: 200, cols: 400 })
  })
})

describe("the font of a terminal", () => {
  it("stays as it was chosen where all columns fit", () => {
    expect(fontFor({ width: 800, height: 100 }, cell, 100, 14)).toBe(14)
    expect(fontFor({ width: 2_000, height: 100 }, cell, 100, 14)).toBe(14)
  })

  it("shrinks until they do, by tenths of a pixel, never rounded up", () => {
    expect(fontFor({ width: 400, height: 100 }, cell, 100, 14)).toBe(7)
    expect(fontFor({ width: 799, height: 100 }, cell, 100, 14)).toBe(13.9)
  })

  it("stops shrinking where nobody could read it", () => {
    expect(fontFor({ width: 10, height: 100 }, cell, 400, 14)).toBe(4)
  })
})
