import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { type Block, splitBlocks } from "../../../../packages/web/src/ui/markdown/blocks.ts"

const document = readFileSync(new URL("../../../../docs/agents.md", import.meta.url), "utf8")

it("has the same blocks in the end, however a text is written", () => {
  const whole = splitBlocks(document, null)
  let before: { text: string; blocks: readonly Block[] } | null = null
  for (let end = 0; end < document.length; ) {
    end = Math.min(document.length, end + 97)
    const text = document.slice(0, end)
    before = { text, blocks: splitBlocks(text, before) }
  }
  expect(before?.blocks.map(({ source }) => source)).toEqual(whole.map(({ source }) => source))
})

it("keeps the blocks before the last ones as they were, so that nothing of them is drawn again", () => {
  const text = "# One\n\nTwo.\n\nThree.\n\nFour"
  const blocks = splitBlocks(text, null)
  const next = splitBlocks(`${text} is longer.`, { text, blocks })
  expect(next.slice(0, -2).every((block, at) => block === blocks[at])).toBe(true)
})

it("closes what is open in the last block", () => {
  expect(splitBlocks("It is **bold", null).at(-1)?.source).toBe("It is **bold**")
  expect(splitBlocks("Not *this*. \n\nAnd `code", null).at(-1)?.source).toBe("And `code`")
})
