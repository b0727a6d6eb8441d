import { readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { listen, type Recording, recordings } from "./recordings.ts"

describe.each(recordings)("the recording $name", (recording) => {
  it("means what its expectation says", () => {
    const expected = JSON.parse(readFileSync(join(recording.folder, "expected.json"), "utf8"))
    expect(listen(recording, [recording.stdout])).toEqual(expected)
  })

  it("means the same a byte at a time", () => {
    const bytes = Array.from(recording.stdout, (byte) => Uint8Array.of(byte))
    expect(listen(recording, bytes)).toEqual(listen(recording, [recording.stdout]))
  })

  it("means the same however it is cut", () => {
    const whole = listen(recording, [recording.stdout])
    fc.assert(
      fc.property(fc.array(fc.nat(recording.stdout.length), { maxLength: 40 }), (cuts) => {
        expect(listen(recording, pieces(recording, cuts))).toEqual(whole)
      }),
      { numRuns: 20 },
    )
  })
})

describe("the recordings", () => {
  it("are those of every way in which agents are driven", () => {
    const clis = new Set(recordings.map(({ name }) => name.split("/")[0]))
    expect([...clis].sort()).toEqual(["claude", "claudeacp", "codex", "codexacp", "gemini", "opencode", "qwen", "vibe"])
    expect(recordings.length).toBeGreaterThan(70)
  })
})

/** Splits the output into views of one buffer, like a pipe that reuses its memory. */
function pieces({ stdout }: Recording, cuts: number[]): Uint8Array[] {
  const places = [0, ...cuts.toSorted((a, b) => a - b), stdout.length]
  return places.slice(1).map((end, index) => stdout.subarray(places[index], end))
}
