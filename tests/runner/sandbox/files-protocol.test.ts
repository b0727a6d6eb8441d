import type { Files } from "@switchyard/runner/files/files"
import { readAnswer, readValue } from "@switchyard/runner/sandbox/files-protocol"
import { decodeFrames, encodeFrame, type Frame } from "@switchyard/runner/sandbox/frames"
import { describe, expect, it } from "vitest"
import { seeded } from "../../faults/random.ts"

async function* inChunks(bytes: Buffer, sizes: () => number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const size = sizes()
    yield bytes.subarray(at, at + size)
    at += size
  }
}

const decoded = (bytes: Buffer, sizes = () => 7): Promise<Frame[]> =>
  Array.fromAsync(decodeFrames(inChunks(bytes, sizes)))

describe("messages", () => {
  it("arrive as they were sent, however they are cut", async () => {
    const random = seeded(11)
    for (let round = 0; round < 50; round++) {
      const sent = Array.from({ length: random.between(1, 8) }, (_, index) => ({
        json: { id: index, text: "é".repeat(random.between(0, 40)) },
        bytes: Buffer.alloc(random.between(0, 60), index),
      }))
      const bytes = Buffer.concat(sent.flatMap(({ json, bytes }) => encodeFrame(json, bytes)))
      expect(await decoded(bytes, () => random.between(1, 50))).toEqual(sent)
    }
  })

  it("are dropped if they are unfinished, and refused if they are too large or no JSON", async () => {
    const whole = Buffer.concat(encodeFrame({ id: 1 }, Buffer.from("bytes")))
    expect(await decoded(whole.subarray(0, -1))).toEqual([])
    await expect(decoded(Buffer.from("ffffffff00000000", "hex"))).rejects.toThrow("too large")
    await expect(decoded(Buffer.from("00000001ffffffff", "hex"))).rejects.toThrow("too large")
    await expect(decoded(Buffer.from("000000010000000021", "hex"))).rejects.toThrow("JSON")
  })
})

describe("an answer of a process that an agent may have taken over", () => {
  it.each<[keyof Files, unknown]>([
    ["lstat", { kind: "file" }],
    ["lstat", null],
    ["stat", { kind: "socket", mode: 0 }],
    ["exists", "yes"],
    ["realpath", 5],
    ["realpath", "x".repeat(70_000)],
    ["list", "all"],
    ["list", [{ name: "../../etc", kind: "file" }]],
    ["list", [{ name: "..", kind: "folder" }]],
    ["list", [{ name: "", kind: "folder" }]],
    ["list", [{ name: "a\0b", kind: "file" }]],
    ["list", [{ name: "\u0101", kind: "file" }]],
    ["list", [{ name: "a", kind: "door" }]],
    ["readText", { text: "x" }],
    ["readRegular", "bytes"],
    ["readPart", undefined],
    ["remove", "done"],
  ])("isn't believed if it is none: %s %j", (method, value) => {
    expect(() => readValue(method, value, Buffer.alloc(0))).toThrow()
  })

  it.each([null, [], { value: 1 }, { id: "1" }, { id: 1, error: "no" }, { id: 1.5 }])(
    "must have a form: %j",
    (json) => {
      expect(() => readAnswer(json)).toThrow()
    },
  )
})
