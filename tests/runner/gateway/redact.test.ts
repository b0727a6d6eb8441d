import { Readable } from "node:stream"
import { buffer } from "node:stream/consumers"
import { redact } from "@switchyard/runner/gateway/redact"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import "../../same-cases.ts"

const SECRET = "abaab"

async function passed(pieces: string[]): Promise<string> {
  return `${await buffer(Readable.from(pieces.map((piece) => Buffer.from(piece))).pipe(redact(SECRET)))}`
}

describe("a secret in an answer", () => {
  it("is blanked out wherever the answer is cut, and nothing else is", async () => {
    const text = fc.array(fc.constantFrom("a", "b", "é", SECRET, "aba")).map((parts) => parts.join(""))
    const cuts = fc.array(fc.nat(60))
    await fc.assert(
      fc.asyncProperty(text, cuts, async (whole, places) => {
        const ends = [...places.map((place) => place % (whole.length + 1)), whole.length].sort(
          (one, other) => one - other,
        )
        const pieces = ends.map((end, index) => whole.slice(ends[index - 1] ?? 0, end))
        expect(await passed(pieces)).toBe(whole.replaceAll(SECRET, "*".repeat(SECRET.length)))
      }),
    )
  })

  it("holds back nothing that can't be the secret's beginning", async () => {
    const stream = redact("sk-1234")
    stream.write("data: a\n\n")
    expect(`${stream.read()}`).toBe("data: a\n\n")
    stream.write("data: sk-")
    expect(`${stream.read()}`).toBe("data: ")
    stream.end("5")
    expect(`${await buffer(stream)}`).toBe("sk-5")
  })
})
