import type { ModelRequest } from "@switchyard/core/models/provider"
import type { Blobs } from "@switchyard/core/storage/blobs"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createScriptedProvider, textAnswer } from "../../../../fixtures/scripted-model.ts"
import { type ChatBench, openChatBench } from "../chat-bench.ts"

let bench: ChatBench
beforeEach(async () => {
  bench = await openChatBench()
})
afterEach(() => bench.close())

/** Executes a turn. Resolves to its model's request and the files that were read. */
async function turn(): Promise<{ request: ModelRequest; read: string[] }> {
  const read: string[] = []
  const { blobs: stored } = bench.stores
  const blobs: Blobs = {
    ...stored,
    get(key, options) {
      if (/\/blobs\/[0-9a-f]{64}$/.test(key)) read.push(key)
      return stored.get(key, options)
    },
  }
  const model = createScriptedProvider(() => textAnswer("Yes."))
  await bench.execute(await bench.ask("And?"), model, { on: { ...bench.stores, blobs } })
  return { request: model.requests[0] as ModelRequest, read }
}

const project = {
  "src/door.ts": 'import { key } from "./key"\nexport function openDoor(loud: boolean) {\n  return key\n}\n',
  "src/key.ts": 'import { openDoor } from "./door"\nexport const key = 1\n',
  "notes.md": "# Notes\n",
}

describe("the map in a turn's prompt", () => {
  it("has the declarations of the session's code, and who imports whom", async () => {
    await bench.write(project)
    const { request } = await turn()
    expect(request.system).toContain(
      "\nsrc/door.ts: ←1\ni→src/key.ts\nf openDoor(loud)\n\nsrc/key.ts: ←1\ni→src/door.ts\n",
    )
    expect(request.system).not.toContain("notes.md:")
  })

  it("is made of files that are read once, and again only after they changed", async () => {
    await bench.write(project)
    expect((await turn()).read).toHaveLength(2)
    expect((await turn()).read).toHaveLength(0)
    await bench.write({ "src/key.ts": "export const key = 2\n" })
    expect((await turn()).read).toHaveLength(1)
  })

  it("keeps the other files of a full map while one of them grows a little, and is cut back when it has grown much", async () => {
    const declarations = (file: number, count: number) =>
      Array.from(
        { length: count },
        (_, nth) => `export const ${`value${file}of${nth}`.padEnd(38, "x")} = ${nth}\n`,
      ).join("")
    const path = (file: number) => `src/file${file}.ts`
    await bench.write(Object.fromEntries(Array.from({ length: 70 }, (_, file) => [path(file), declarations(file, 40)])))
    await bench.parse()
    const shown = async () => {
      const { system, messages } = (await turn()).request
      const texts = [system, ...messages.map(({ content }) => content)].join("\n")
      return [...texts.matchAll(/^src\/file\d+\.ts:$/gm)].map(([line]) => line.slice(0, -1)).sort()
    }
    const before = await shown()
    expect(before.length).toBeLessThan(70)
    await bench.write({ [before[0] ?? ""]: declarations(0, 80) })
    // A changed file is left out until it stops changing.
    expect(await shown()).toEqual(before.slice(1))
    const grown = before.slice(0, 10)
    await bench.write(Object.fromEntries(grown.map((one, nth) => [one, declarations(nth, 90)])))
    expect((await shown()).length).toBeLessThan(before.length - grown.length - 4)
  })

  it("is the same to the byte while a body changes, or only what refers to a file", async () => {
    await bench.write(project)
    const { system } = (await turn()).request
    await bench.write({ "src/door.ts": project["src/door.ts"].replace("return key", "// Wait.\n  return key + 1") })
    expect((await turn()).request.system).toBe(system)
    await bench.write({ "src/hall.ts": 'import { key } from "./key"\nexport const hall = key\n' })
    expect((await turn()).request.system).toBe(system)
    await bench.write({ "src/door.ts": project["src/door.ts"].replace("loud", "silent") })
    expect((await turn()).request.system).not.toContain("openDoor(loud)")
  })

  it("says how many files it has no room for", async () => {
    const long = (file: number) =>
      Array.from({ length: 280 }, (_, at) => `export const a_rather_long_name_of_${file}_and_${at} = ${at}\n`).join("")
    await bench.write(Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`src/f${at}.ts`, long(at)])))
    const { request } = await turn()
    expect(request.system.length).toBeLessThan(110_000)
    const [prepared] = await bench.eventsOf("chat_context_prepared")
    const { unmapped_files } = (await bench.textsOf(prepared)).figures as { unmapped_files: number }
    expect(unmapped_files).toBeGreaterThan(0)
  })
})
