import { createSequenceTracker } from "@switchyard/core/agents/terminals/safe-cut"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import "../../same-cases.ts"
import { createViewer } from "./looks.ts"
import { hostileProgram, program } from "./programs.ts"

const size = { rows: 8, cols: 24 }

describe("a snapshot", () => {
  it("brings another terminal to where this one is, so that both go on alike", () => {
    fc.assert(
      fc.property(program, program, (before, after) => {
        const [live, viewer] = [createViewer(size), createViewer(size)]
        // What the emulator itself fails at never reaches a viewer.
        fc.pre(live.write(before))
        expect(viewer.write(live.serialize())).toBe(true)
        expect(viewer.looks()).toEqual(live.looks())
        fc.pre(live.write(after))
        viewer.write(after)
        expect(viewer.looks()).toEqual(live.looks())
      }),
      { numRuns: 1000, seed: 77 },
    )
  })
})

describe("a place between two sequences", () => {
  it("is one where a snapshot and what follows are as good as everything", () => {
    fc.assert(
      fc.property(hostileProgram, program, fc.nat(), (before, after, seed) => {
        const cut = seed % (before.length + 1)
        const ground = createSequenceTracker()
        ground.feed(before.subarray(0, cut))
        const at = ground.feed(new Uint8Array())
        const [live, viewer] = [createViewer(size), createViewer(size)]
        fc.pre(live.write(before.subarray(0, cut)))
        viewer.write(live.serialize())
        const rest = Buffer.concat([before.subarray(at), after])
        fc.pre(live.write(rest.subarray(cut - at)))
        viewer.write(rest)
        expect(viewer.looks()).toEqual(live.looks())
      }),
      { numRuns: 1000, seed: 3 },
    )
  })

  it("is found wherever the bytes are cut", () => {
    fc.assert(
      fc.property(hostileProgram, (bytes) => {
        const [whole, pieces] = [createSequenceTracker(), createSequenceTracker()]
        let last = 0
        for (const byte of bytes) last = pieces.feed(Uint8Array.of(byte))
        expect(last).toBe(whole.feed(bytes))
      }),
    )
  })
})
