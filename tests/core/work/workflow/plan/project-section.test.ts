import { incarnationBlobs } from "@switchyard/core/kernel/keys"
import { userTexts } from "@switchyard/core/models/provider"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { modelFor, subjectOf } from "../model.ts"
import { openStudio, type Studio } from "../studio.ts"

let studio: Studio
beforeEach(async () => {
  studio = await openStudio()
})
afterEach(() => studio.close())

/** A module that declares a class with so many methods, and is so many bytes long, about. */
function moduleOf(name: string, { methods, bytes }: { methods: number; bytes: number }): string {
  const body = Array.from({ length: methods }, (_, index) => `  method${index}() {}\n`).join("")
  const start = `export class ${name} {\n${body}}\n`
  return start + "// words\n".repeat(Math.ceil((bytes - start.length) / 9))
}

/** What the planner reads of the project; the architect reads the same, byte for byte. */
async function shown(files: Record<string, string>): Promise<string> {
  await studio.write(files)
  const model = modelFor(["new.ts"])
  const runId = await studio.start()
  await studio.execute(runId, model)
  expect(await studio.run(runId)).toMatchObject({ status: "completed" })
  const [ofPlanner = "", ofArchitect = ""] = ["plan", "task_plan"].map((subject) => {
    const [message] = model.requests.find((request) => subjectOf(request) === subject)?.messages ?? []
    return message?.role === "user" ? userTexts(message).join("\n\n") : ""
  })
  const section =
    /The project has these files already\..*?(?=\n\n(?:User request|The plan|This run):?)/s.exec(ofPlanner)?.[0] ?? ""
  expect(ofArchitect).toContain(section)
  return section
}

describe("what planner and architect are shown of a project", () => {
  it("is small files whole, what the others declare, and of what declares nothing the name", async () => {
    const small = Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [
        `src/part-${index}.ts`,
        moduleOf(`Part${index}`, { methods: 1, bytes: 9_000 }),
      ]),
    )
    const large = { "src/large.ts": moduleOf("Large", { methods: 3, bytes: 60_000 }) }
    const section = await shown({
      ...small,
      ...large,
      "words.txt": "words\n".repeat(9_000),
      "package-lock.json": `{\n "a": 1\n}${"\n".repeat(50_000)}`,
    })
    for (const [path, text] of Object.entries(small)) expect(section).toContain(`${path}:\n\`\`\`\n${text}\`\`\``)
    expect(section).toContain(
      "src/large.ts (60.0 KB), only what it declares, by its lines:\n```\n1: export class Large\n  2: method0()\n  3: method1()\n  4: method2()\n```",
    )
    expect(section).toMatch(/\n\nBy name only:\n- package-lock\.json \([\d.]+ KB\)\n- words\.txt \([\d.]+ KB\)$/)
  })

  it("stays within its budget, and outlines as many as it can, with members where there is room for those of all", async () => {
    const many = (methods: number) =>
      Object.fromEntries(
        Array.from({ length: 150 }, (_, index) => [
          `src/part-${index}.ts`,
          moduleOf(`Part${index}`, { methods, bytes: 8_000 }),
        ]),
      )
    const detailed = await shown(many(2))
    expect(detailed.match(/^ {2}2: method0\(\)$/gm)).toHaveLength(150 - 11)
    const flat = await shown(many(40))
    expect(flat).not.toContain("  2: method0()")
    expect(flat.match(/only what it declares/g)).toHaveLength(150 - 11)
    const functions = Array.from({ length: 30 }, (_, index) => `export function number${index}() {}\n`).join("")
    const cut = await shown(
      Object.fromEntries(Object.entries(many(40)).map(([path, text]) => [path, functions + text])),
    )
    const outlined = cut.match(/only what it declares/g) ?? []
    expect(outlined.length).toBeGreaterThan(15)
    expect(cut.match(/^- src\/part-\d+\.ts \([\d.]+ KB\)$/gm)).toHaveLength(150 - 10 - outlined.length)
    // 24,000 tokens of whole files and a fourth of that in outlines, at four bytes a token, and a line for each file.
    for (const section of [detailed, flat, cut]) expect(section.length).toBeLessThan(4 * (24_000 + 6_000) + 151 * 80)
  })

  it("is made of outlines that are made once, from each text", async () => {
    const text = moduleOf("Large", { methods: 3, bytes: 100_000 })
    await shown({ "a.ts": text, "copy.ts": text })
    const blobs = await Array.fromAsync(studio.stores.blobs.list(`${incarnationBlobs(studio.sid, 1)}outlines/`))
    expect(blobs).toHaveLength(1)
    const [{ key } = { key: "" }] = blobs
    await studio.stores.blobs.put(key, Buffer.from(JSON.stringify({ symbols: [], isCut: false })))
    expect(await shown({ "b.txt": "" })).toContain("By name only:\n- a.ts")
  })
})
