import { showBidiControls } from "@switchyard/core/text/bidi-controls"
import { questionTitle } from "@switchyard/core/work/headlines/question-title"
import { expect, it } from "vitest"

it("shows what would change the order of a text, and nothing else of it", () => {
  expect(showBidiControls("a\u202etxt.exe\u2066b\u2069")).toBe("a[U+202E]txt.exe[U+2066]b[U+2069]")
  const plain = "שלום, \u200fעולם\u200e · مرحبا 😀\r\n\t"
  expect(showBidiControls(plain)).toBe(plain)
})

it("shows it in what an agent asks, where somebody decides by what they read", () => {
  const asks = { kind: "permission", name: "Bash" } as const
  expect(questionTitle({ ...asks, tool: "execute", command: "rm \u202etxt.a" })).toBe("May I run rm [U+202E]txt.a?")
  expect(questionTitle({ ...asks, tool: "write", paths: ["\u202etxt.a"] })).toBe("May I write [U+202E]txt.a?")
})
