import { describe, expect, it } from "vitest"
import { createVisibleText } from "../../../../packages/core/src/agents/conversations/visible-text.ts"

const SUMMARY = '```json\n{\n  "change_summary": "Done.",\n  "files_changed": []\n}\n```'

/** Returns the visible text of a message that arrives in pieces of this size. */
function shown(message: string, size = message.length): string {
  const text = createVisibleText()
  const pieces = message.match(new RegExp(`[^]{1,${size}}`, "g")) ?? []
  return pieces.map((piece) => text.take(piece)).join("") + text.end()
}

describe("the text of an agent that people see", () => {
  it.each([1, 2, 7, 1000])("has no object for programs at its end, in pieces of %i", (size) => {
    expect(shown(`It works.\n\n${SUMMARY}\n`, size).trim()).toBe("It works.")
    expect(shown(SUMMARY, size)).toBe("")
    expect(shown(`It works.\n\n${SUMMARY.slice(0, 40)}`, size).trim()).toBe("It works.")
  })

  it.each([
    'Set this:\n```json\n{ "port": 1 }\n```\nThat is all.',
    "Text with ```json in a line.",
    "```js\n1\n```\n",
    "``",
    '```json\n{ "unfinished": 1',
  ])("has all else: %j", (message) => {
    for (const size of [1, 3, 1000]) expect(shown(message, size)).toBe(message)
  })

  it("comes as soon as it is clear that it is no such object", () => {
    const text = createVisibleText()
    expect(text.take("Hello, ")).toBe("Hello, ")
    expect(text.take("world.\n``")).toBe("world.\n")
    expect(text.take("`js\n")).toBe("```js\n")
  })
})
