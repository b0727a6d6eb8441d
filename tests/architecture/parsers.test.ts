import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { someOf } from "../settings.ts"
import { type Parser, slowAttacks } from "./growth.ts"
import { EXEMPT, type Loaded, READERS, type Read } from "./parser-table.ts"
import { PATHS } from "./read-texts.ts"
import { type ExportedFunction, readModule, textAttacks } from "./text-attacks.ts"

const ROOT = join(import.meta.dirname, "../../packages")

/** Names of parameters that hold outside text: from a model, an agent, a repository, a page or a client. */
const TEXTS =
  /^(text|texts|answer|output|html|css|json|diff|lines?|bytes|markdown|source|std(out|err)|raw|command|message|question|prompt|words|query|search|before|url|header|readme|code|page|input|chunk)$/
const SIMPLE =
  /^(string|string \| (undefined|null)|Uint8Array|Buffer|string \| Uint8Array|(readonly )?string\[\]|unknown)$/

/** Programs that imitate others, and files that only draw or wait. None of them reads outside text. */
const NO_PARSERS =
  /^(demo-model|runner\/src\/mock|web\/src\/main|functions\/src\/(local|aws)|cli\/src\/commands)\b|\.tsx$|\/use-/

const ENTRIES = globSync("*/src/**/*.{ts,tsx}", { cwd: ROOT })
  .filter((file) => !NO_PARSERS.test(file))
  .sort()
  .map((file) => ({ file, ...readModule(file, readFileSync(join(ROOT, file), "utf8")) }))

const takesText = ({ parameters }: ExportedFunction) =>
  parameters.some(({ name, type }) => TEXTS.test(name) && SIMPLE.test(type))

const takesOnlyText = ({ parameters }: ExportedFunction) =>
  parameters.every(({ type, isOptional }) => isOptional || SIMPLE.test(type))

/**
 * Calls a function with a text for each required parameter. All but the first get half of it, so that a search
 * succeeds.
 */
function callWith(read: (...args: unknown[]) => unknown, { parameters }: ExportedFunction, path: string): Read {
  return (text) => {
    let nth = 0
    const args = parameters
      .filter(({ isOptional }) => !isOptional)
      .map(({ name, type }) => {
        if (name === "path" || name === "root") return path
        const part = nth++ === 0 ? text : text.slice(0, text.length / 2)
        if (/\[\]/.test(type)) return part.split("\n")
        return /Uint8Array|Buffer/.test(type) && !/string/.test(type) ? Buffer.from(part) : part
      })
    return read(...args)
  }
}

/** Number of attacks on each parser in `npm test`, spread over all attacks. */
const USUAL_ATTACKS = 4

type Entry = (typeof ENTRIES)[number]

function ownReaders({ file }: Entry): string[] {
  return Object.keys(READERS).filter((name) => name.startsWith(`${file} `))
}

/** Returns the functions that take only texts, and so need no entry in `READERS`. */
function plainReaders({ file, functions }: Entry): ExportedFunction[] {
  return functions.filter((one) => {
    const name = `${file} ${one.name}`
    return takesText(one) && takesOnlyText(one) && !(name in READERS) && !(name in EXEMPT)
  })
}

const hasParser = (entry: Entry) => ownReaders(entry).length + plainReaders(entry).length > 0

async function parsersOf(entry: Entry): Promise<Parser[]> {
  const { file, words } = entry
  const module: Loaded = await import(join(ROOT, file))
  const attacks = someOf(textAttacks(words), USUAL_ATTACKS)
  return [
    ...ownReaders(entry).map((name) => ({ name, read: READERS[name]?.(module) as Read, attacks })),
    ...plainReaders(entry).flatMap((one) => {
      const paths = one.parameters.some(({ name }) => name === "path") ? PATHS : [""]
      return paths.map((path) => ({
        name: `${file} ${one.name} ${path}`.trim(),
        read: callWith(module[one.name], one, path),
        attacks,
      }))
    }),
  ]
}

describe("a parser of text from outside", () => {
  it("is attacked, or is exempt for a reason", () => {
    const unknown = ENTRIES.flatMap(({ file, functions }) =>
      functions.filter((one) => takesText(one) && !takesOnlyText(one)).map(({ name }) => `${file} ${name}`),
    )
    expect(unknown.filter((name) => !(name in READERS) && !(name in EXEMPT))).toEqual([])
    const known = ENTRIES.flatMap(({ file, functions }) => functions.map(({ name }) => `${file} ${name}`))
    const listed = [...Object.keys(READERS), ...Object.keys(EXEMPT)].filter((name) => !known.includes(name))
    expect(listed).toEqual(["core/src/agents/protocols/protocols.ts protocols"])
  })

  it.each(ENTRIES.filter(hasParser))("takes at most 2.5 times as long for twice the text: $file", async (entry) => {
    for (const parser of await parsersOf(entry)) {
      expect({ [parser.name]: await slowAttacks(parser) }).toEqual({ [parser.name]: [] })
    }
  })

  it.each<[string, string, Read]>([
    ["strings that need their end", '\\"', (text) => text.replaceAll(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*/g, "")],
    ["a search for each line", "\n", (text) => text.split("\n").filter((_, at, all) => all.lastIndexOf("b", at))],
  ])("would be found to be slow: %s", async (_, word, read) => {
    const attacks = textAttacks([]).filter(({ name }) => name === JSON.stringify(word))
    expect(attacks).toHaveLength(1)
    expect(await slowAttacks({ name: "", read, attacks })).toHaveLength(1)
  })
})
