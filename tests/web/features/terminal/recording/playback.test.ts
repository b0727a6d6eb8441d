import { Terminal } from "@xterm/headless"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { suppressReplies } from "../../../../../packages/web/src/features/terminal/emulator/reply-filter.ts"
import { createPlayback } from "../../../../../packages/web/src/features/terminal/recording/playback.ts"
import {
  createCastReader,
  type Recording,
} from "../../../../../packages/web/src/features/terminal/recording/recording.ts"

function recordingOf(events: unknown[]): Recording {
  const reader = createCastReader()
  for (const line of [{ version: 2, width: 20, height: 6 }, ...events]) reader.push(`${JSON.stringify(line)}\n`)
  return reader.end()
}

/** Returns the screen at each of these moments, requested one after another. */
async function screensAt(recording: Recording, moments: number[]): Promise<string[]> {
  const terminal = new Terminal({ allowProposedApi: true })
  let arrived = Promise.withResolvers<void>()
  const playback = createPlayback(terminal as never, recording, () => arrived.resolve())
  const screens: string[] = []
  for (const moment of moments) {
    arrived = Promise.withResolvers()
    playback.show(moment)
    await arrived.promise
    screens.push(screenOf(terminal))
  }
  playback.stop()
  return screens
}

function screenOf({ buffer: { active }, rows, cols }: Terminal): string {
  const lines = Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true))
  return [`${cols}x${rows} ${active.type}`, ...lines].join("\n").trimEnd()
}

const text = fc.constantFrom(
  "a line\r\n",
  "words ",
  "\u001b[2J\u001b[H",
  "\u001b[?1049h",
  "\u001b[?1049l",
  "\u001b[3;3H*",
  "\u001b[31mred",
)
const event = fc.oneof(
  text.map((said) => ["o", said]),
  fc.constantFrom("20x6", "30x8").map((size) => ["r", size]),
)

describe("a playback", () => {
  it("shows at every moment what the terminal was, from wherever one comes to it", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 1, maxLength: 30 }),
        fc.array(fc.integer({ min: 0, max: 31 }), { minLength: 1, maxLength: 5 }),
        async (events, moments) => {
          const recording = recordingOf(events.map((one, at) => [at + 1, ...one]))
          const visited = await screensAt(recording, moments)
          const direct = await Promise.all(moments.map(async (moment) => (await screensAt(recording, [moment]))[0]))
          expect(visited).toEqual(direct)
        },
      ),
      { numRuns: 60 },
    )
  })

  it("draws what was asked for last, and nothing of it once it is stopped", async () => {
    const recording = recordingOf([
      [1, "o", "one "],
      [2, "o", "two "],
      [3, "o", "three"],
    ])
    const terminal = new Terminal({ allowProposedApi: true })
    const arrived = Promise.withResolvers<void>()
    const playback = createPlayback(terminal as never, recording, arrived.resolve)
    for (const moment of [3, 0, 2]) playback.show(moment)
    expect(playback.behind).toBe(true)
    await arrived.promise
    expect(screenOf(terminal)).toBe("20x6 normal\none two")
    playback.stop()
    playback.show(3)
    expect(playback.behind).toBe(false)
  })
})

describe("a terminal that only shows", () => {
  it("answers none of the questions that programs ask terminals", async () => {
    const questions = [
      "[c",
      "[>c",
      "[5n",
      "[6n",
      "[?6n",
      "[?25$p",
      "[4$p",
      "[18t",
      "P$qm\u001b\\",
      "]10;?\u0007",
      "]11;?\u001b\\",
      "]4;1;?\u0007",
    ]
    const said: string[] = []
    const terminal = new Terminal({ allowProposedApi: true, windowOptions: { getWinSizeChars: true } })
    terminal.onData((data) => said.push(data))
    const ask = () =>
      new Promise<void>((resolve) => terminal.write(questions.map((one) => `\u001b${one}`).join(""), resolve))
    await ask()
    expect(said.length).toBeGreaterThan(5)
    said.length = 0
    suppressReplies(terminal)
    await ask()
    expect(said).toEqual([])
    terminal.input("a person")
    expect(said).toEqual(["a person"])
  })
})
