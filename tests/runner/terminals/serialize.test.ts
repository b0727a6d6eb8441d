import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createSequenceTracker } from "@switchyard/core/agents/terminals/safe-cut"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import "../../same-cases.ts"
import { createViewer } from "./looks.ts"
import { hostileProgram, program } from "./programs.ts"

const size = { rows: 8, cols: 24 }

const EMOJI = ["🤖", "⚡", "✅", "⚠️", "🇩🇪", "👨‍👩‍👧‍👦", "👍🏽", "🏴‍☠️", "1️⃣"]

describe("a character", () => {
  it.each(EMOJI)("that is an emoji takes two columns, also in a snapshot: %s", (emoji) => {
    const [live, viewer] = [createViewer(size), createViewer(size)]
    live.write(`${emoji}|`)
    viewer.write(live.serialize())
    for (const { terminal } of [live, viewer]) {
      const line = terminal.buffer.active.getLine(0)
      expect([0, 2].map((column) => line?.getCell(column)?.getChars())).toEqual([emoji, "|"])
    }
  })

  it.each(["—", "’", "\u2003", "👨‍👩‍👧"])("is drawn wherever its bytes are cut: %s", (text) => {
    const bytes = Buffer.from(`a${text}b`)
    for (let cut = 1; cut < bytes.length; cut++) {
      const [whole, pieces] = [createViewer(size), createViewer(size)]
      whole.write(bytes)
      pieces.write(bytes.subarray(0, cut))
      pieces.write(bytes.subarray(cut))
      expect(pieces.looks(), `cut at ${cut}`).toEqual(whole.looks())
    }
  })

  it("isn't joined in a snapshot to one beside it that was drawn at another time", () => {
    const [live, viewer] = [createViewer(size), createViewer(size)]
    live.write("🇩\u001b[1;2H🇪\u001b[2;1H👩\u001b[2;3H\u200d🔧")
    viewer.write(live.serialize())
    expect(viewer.looks()).toEqual(live.looks())
  })

  it("takes as many columns in the studio, which has the same emulator", () => {
    const [runner, web] = ["runner", "web"].map((name) => {
      const file = join(import.meta.dirname, "../../../packages", name, "package.json")
      const { dependencies, devDependencies } = JSON.parse(readFileSync(file, "utf8"))
      return { ...dependencies, ...devDependencies }
    })
    const graphemes = "@xterm/addon-unicode-graphemes"
    expect(web[graphemes]).toBe(runner[graphemes])
    expect(web["@xterm/xterm"]).toBe(runner["@xterm/headless"])
  })
})

describe("a snapshot", () => {
  it("brings another terminal to where this one is, so that both go on alike", () => {
    fc.assert(
      fc.property(program, program, (before, after) => {
        const [live, viewer] = [createViewer(size), createViewer(size)]
        // Skip output that the emulator itself can't parse. Such output never reaches a viewer.
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
