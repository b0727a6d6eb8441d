import type { ModelRequest } from "@switchyard/core/models/provider"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createScriptedProvider, textAnswer } from "../../../fixtures/scripted-model.ts"
import { block, type ChatBench, openChatBench } from "./chat-bench.ts"

let bench: ChatBench
beforeEach(async () => {
  bench = await openChatBench(undefined, { model: "anthropic/claude-sonnet-4-5" })
})
afterEach(() => bench.close())

const PROSE = "A lease is renewed by its executor, and the log decides. "
/** Files that all import `f0.ts`. */
const files = Object.fromEntries(
  Array.from({ length: 99 }, (_, at) => {
    const declared = Array.from(
      { length: 9 },
      (_, nth) => `export const part${at}of${nth} = (x: number) => x + ${nth}\n`,
    )
    const text = `${at > 0 ? 'import { part0of0 } from "./f0.ts"\n' : ""}${declared.join("")}`
    return [`src/f${at}.ts`, text]
  }),
)

/** Sends a message, and returns the texts of the prompt. */
async function promptOf(selected: string[], answer = PROSE.repeat(10)): Promise<string[]> {
  const model = createScriptedProvider(() => textAnswer(answer))
  await bench.execute(await bench.ask("Where does it end?", { files: selected }), model)
  const { system, messages } = model.requests[0] as ModelRequest
  return [system, ...messages.map(({ role, content }) => `${role}: ${content}`)]
}

const lengthOf = (texts: readonly string[]) => texts.reduce((sum, { length }) => sum + length, 0)

function sharedPart(before: readonly string[], after: readonly string[]): number {
  const differs = before.findIndex((text, at) => text !== after[at])
  return lengthOf(differs === -1 ? before : before.slice(0, differs)) / lengthOf(before)
}

describe("a selection", () => {
  it("keeps the prompt before it, also for the file that most others refer to", async () => {
    await bench.write(files)
    await bench.parse()
    const first = await promptOf([])
    const second = await promptOf(["src/f0.ts"])
    expect(sharedPart(first, second)).toBeGreaterThan(0.9)
    expect(second.some((text) => text.includes("# Working Files") && text.includes("src/f0.ts"))).toBe(true)
  })

  it("of one more file in each turn writes only that file and the last exchange", async () => {
    await bench.write(files)
    await bench.parse()
    let last = await promptOf([])
    for (let turn = 1; turn <= 5; turn++) {
      const next = await promptOf(Object.keys(files).slice(0, turn))
      expect(sharedPart(last, next)).toBe(1)
      expect(next.length).toBe(last.length + 4)
      last = next
    }
  })

  it("shows an edited file behind the answer that edited it, and no longer before", async () => {
    await bench.write(files)
    await bench.parse()
    const [selected, path] = [["src/f0.ts", "src/f1.ts"], "src/f1.ts"]
    const old = `${files[path]?.split("\n")[1]}\n`
    await promptOf(selected)
    await promptOf(selected, block(path, old, `// Edited.\n${old}`))
    const prompt = await promptOf(selected)
    const at = prompt.flatMap((text, index) => (text.startsWith("user: # Working Files") ? [index] : []))
    expect(at.map((index) => prompt[index]?.match(/src\/f\d\.ts(?=\n`)/g))).toEqual([["src/f0.ts"], ["src/f1.ts"]])
    expect(prompt[(at[1] ?? 0) - 1]).toContain("// Edited.")
    expect(at[1]).toBe(prompt.length - 3)
  })
})
