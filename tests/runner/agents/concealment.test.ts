import { createConcealment } from "@switchyard/runner/agents/concealment"
import { expect, it } from "vitest"

const SECRET = "eyJhbGciOi.canary-0123456789"
const OTHER = "rt_another-secret-0123456789"

function concealing() {
  const concealment = createConcealment()
  concealment.add([SECRET, OTHER])
  return concealment
}

it("blanks a secret wherever a stream is cut, but for three letters at its beginning, and changes nothing else", () => {
  const text = `before ${SECRET} between ${OTHER}${SECRET} efghi eyJ ey after`
  for (let at = 0; at <= text.length; at++) {
    const stream = concealing().stream()
    const pieces = [
      stream.take(Buffer.from(text.slice(0, at))),
      stream.take(Buffer.from(text.slice(at))),
      stream.flush(),
    ]
    const shown = Buffer.concat(pieces).toString()
    expect(shown, `cut at ${at}`).not.toMatch(/canary|another|hbG/)
    expect(shown).toHaveLength(text.length)
    expect(shown.startsWith("before eyJ")).toBe(true)
    expect(shown.endsWith(" efghi eyJ ey after")).toBe(true)
  }
})

it("holds nothing back of what is typed, byte for byte, and leaves bytes that are no text as they are", () => {
  const stream = concealing().stream()
  for (const byte of Buffer.from("rest eyJ rt_ ü")) expect([...stream.take(Uint8Array.of(byte))]).toEqual([byte])
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte)
  expect([...stream.take(bytes)]).toEqual([...bytes])
})

it("blanks a secret that comes a byte at a time", () => {
  const stream = concealing().stream()
  const pieces = [...Buffer.from(`<${SECRET}>`)].map((byte) => stream.take(Uint8Array.of(byte)))
  expect(Buffer.concat([...pieces, stream.flush()]).toString()).toMatch(/^<eyJ\*+>$/)
})

it("blanks a secret in every text of an event, from when it is known", () => {
  const concealment = createConcealment()
  const event = { type: "agent_notice" as const, text: `It said ${SECRET}.` }
  expect(concealment.events([event])).toEqual([event])
  concealment.add([SECRET])
  expect(JSON.stringify(concealment.events([event]))).not.toContain("canary")
  expect(concealment.events([{ type: "agent_notice", text: "Nothing." }])).toEqual([
    { type: "agent_notice", text: "Nothing." },
  ])
})
