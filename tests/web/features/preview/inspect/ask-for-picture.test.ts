import { expect, it } from "vitest"
import { sizeOfPng } from "../../../../../packages/web/src/features/preview/inspect/ask-for-picture.ts"

/** Returns the header of a PNG, padded to a size. */
function png(width: number, height: number, { bytes = 100, change = {} as Record<number, number> } = {}): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(bytes))
  for (const [at, word] of [0x89504e47, 0x0d0a1a0a, 13, 0x49484452, width, height].entries())
    if (4 * at + 4 <= bytes) view.setUint32(4 * at, word)
  for (const [at, byte] of Object.entries(change)) view.setUint8(Number(at), byte)
  return view.buffer
}

it("reads the size of a PNG within the limits", () => {
  expect(sizeOfPng(png(1000, 40))).toEqual({ width: 1000, height: 40 })
  expect(sizeOfPng(png(2000, 2000, { bytes: 540_000 }))).toEqual({ width: 2000, height: 2000 })
})

it.each([
  ["a file that is too large", png(10, 10, { bytes: 540_001 })],
  ["a picture that is too wide", png(2001, 10)],
  ["a picture that is too high", png(10, 0xffffffff)],
  ["a picture that would be shown as a line", png(60, 2000)],
  ["a picture that would be shown as a flat line", png(2000, 60)],
  ["a picture without pixels", png(0, 10)],
  ["another format", png(10, 10, { change: { 1: 0x51 } })],
  ["a PNG that begins with another chunk", png(10, 10, { change: { 12: 0x50 } })],
  ["a header of another length", png(10, 10, { change: { 11: 14 } })],
  ["a truncated header", png(10, 10, { bytes: 32 })],
  ["nothing", new ArrayBuffer(0)],
])("refuses %s", (_, bytes) => expect(sizeOfPng(bytes)).toBeUndefined())
