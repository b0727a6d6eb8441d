import { bracketPaste, createLineEditor } from "@switchyard/runner/agents/line-editor"
import { expect, it } from "vitest"

/** Begins each typed line, wherever the agent's output ended. */
const MARK = "\r\n\u001b[36m❯ \u001b[0m"

function open() {
  const sent: string[] = []
  let interrupts = 0
  let shown = ""
  const typed = createLineEditor({
    echo: (text) => {
      shown += text
    },
    submit: (line) => sent.push(line),
    interrupt: () => interrupts++,
  })
  return {
    sent,
    interrupts: () => interrupts,
    shown: () => shown,
    type: (text: string) => {
      for (const byte of Buffer.from(text)) typed.type(Uint8Array.of(byte))
    },
  }
}

it("sends a paste of several lines as one message, on Enter", () => {
  const line = open()
  line.type(bracketPaste("one\r\ntwo\rthree\n"))
  expect(line.sent).toEqual([])
  line.type("\r")
  expect(line.sent).toEqual(["one\ntwo\nthree"])
  expect(line.shown()).toBe(`${MARK}one\r\ntwo\r\nthree\r\n\r\n`)
  line.type("four\rfive\r")
  expect(line.sent.slice(1)).toEqual(["four", "five"])
})

it("takes back what was pasted a character at a time, lines too", () => {
  const line = open()
  line.type(`${bracketPaste("ab\nc")}${"\u007f".repeat(3)}d\r`)
  expect(line.sent).toEqual(["ad"])
  expect(line.shown()).toBe(`${MARK}ab\r\nc\b \b\u001b[A\u001b[5G\b \bd\r\n`)
})

it("leaves keys in a paste without effect, but lets Ctrl-C end one that doesn't end", () => {
  const line = open()
  line.type(bracketPaste("a\u0015\u001b[200~b\u007fc"))
  line.type("\r")
  expect(line.sent).toEqual(["a[200~bc"])
  line.type("\u001b[200~never\r\u0003now\r")
  expect(line.sent.slice(1)).toEqual(["now"])
  expect(line.interrupts()).toBe(0)
  line.type("\u0003")
  expect(line.interrupts()).toBe(1)
})
