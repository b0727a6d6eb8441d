import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { itDeep } from "../depth.ts"
import { type ExportedFunction, readModule, type TextAttack, textAttacks } from "./text-attacks.ts"

const ROOT = join(import.meta.dirname, "../../packages")

type Read = (text: string) => unknown
// Modules are loaded by their names, and each function gets what its entry here makes of a text.
// biome-ignore lint/suspicious/noExplicitAny: the types of a module that is loaded by its name
type Loaded = any

/** Names of parameters that have text from outside: of a model, an agent, a repository, a page or a client. */
const TEXTS =
  /^(text|texts|answer|output|html|css|json|diff|lines?|bytes|markdown|source|std(out|err)|raw|command|message|question|prompt|words|query|search|before|url|header|readme|code|page|input|chunk)$/
const SIMPLE =
  /^(string|string \| (undefined|null)|Uint8Array|Buffer|string \| Uint8Array|(readonly )?string\[\]|unknown)$/

/** Programs that imitate others, and what draws or waits: none of them reads text from outside. */
const NO_PARSERS =
  /^(demo-model|runner\/src\/mock|web\/src\/main|functions\/src\/(local|aws)|cli\/src\/commands)\b|\.tsx$|\/use-/

/** How functions are given a text that need more than that. */
const READERS: Record<string, (module: Loaded) => Read> = {
  "cli/src/sanitize.ts clip": (m) => (text) => m.clip(text, 1_000_000),
  "cli/src/sse.ts readFrames": (m) => (text) => drain(m.readFrames(pieces(Buffer.from(text)))),
  "core/src/agents/clis/line-splitter.ts createLineSplitter": (m) => (text) => {
    const splitter = m.createLineSplitter()
    for (const piece of pieces(Buffer.from(text))) splitter.push(piece)
  },
  "core/src/agents/conversations/visible-text.ts createVisibleText": (m) => (text) => {
    const visible = m.createVisibleText()
    for (const piece of pieces(text)) visible.take(piece)
    return visible.end()
  },
  "core/src/agents/terminals/safe-cut.ts createSequenceTracker": (m) => (text) => {
    const tracker = m.createSequenceTracker()
    for (const piece of pieces(Buffer.from(text))) tracker.feed(piece)
  },
  "core/src/files/edits/apply-edit.ts applyEdit": (m) => (text) => {
    const oldLines = text.slice(0, text.length / 2).split("\n")
    return m.applyEdit(text, { path: "a", oldLines, newLines: ["b"] })
  },
  "core/src/files/edits/search-replace.ts applyEdits": (m) => (text) =>
    m.applyEdits(text, [{ search: text.slice(0, text.length / 2), replace: "b" }]),
  "core/src/files/edits/edit-blocks.ts createEditBlockParser": (m) => (text) => {
    const parser = m.createEditBlockParser()
    // Read after each of its pieces, as while an answer arrives, and with an open block for the longest of it.
    for (const piece of pieces(`${text.slice(0, text.length / 4)}\na.ts\n<<<< EDIT\n${text}`, 29)) {
      parser.push(piece)
      parser.parts()
    }
  },
  "core/src/work/harness/json-strings.ts createJsonStringDecoder": (m) => (text) => {
    const decode = m.createJsonStringDecoder()
    for (const piece of pieces(text)) decode(piece)
  },
  "core/src/work/pages/page-text.ts pageText": (m) => (text) =>
    m.pageText({ url: "https://a.example", mediaType: "text/html", text }),
  "core/src/work/teams/views/memory-search.ts searchMemory": (m) => (text) =>
    m.searchMemory([{ path: "a.md", text }], "a w1 title"),
  "core/src/work/workflow/coder/salvage.ts writtenCalls": (m) => (text) =>
    m.writtenCalls(text, [{ name: "write_file" }]),
  "core/src/work/workflow/plan/plan.ts parsePlan": (m) => (text) => m.parsePlan(text, { maxFiles: 20, files: [] }),
  "core/src/sessions/word-search.ts hasWords": (m) => (text) => m.hasWords(text, QUERY),
  "core/src/sessions/word-search.ts excerptAround": (m) => (text) => m.excerptAround(text, QUERY),
  "core/src/files/worktrees/matching-paths.ts matchingPaths": (m) => (text) =>
    m.matchingPaths(text.split("\n"), "aw1", 20),
  "runner/src/git/worktrees/markers.ts hasConflict": (m) => (text) => m.hasConflict(Buffer.from("a"), text),
  "web/src/features/chat/file-mentions.ts mentionedFiles": (m) => (text) =>
    m.mentionedFiles(text, ["a", "w1.ts"], new Set()),
  "web/src/features/conversation/mentions.ts mentionAt": (m) => (text) => m.mentionAt(text, text.length),
  "core/src/work/checks/check-file.ts checkFile": (m) => async (text) => {
    for (const path of PATHS) await m.checkFile({ path, text })
  },
  "runner/src/terminals/screen.ts parse": (m) => (text) =>
    m.parse(m.openEmulator({ rows: 24, cols: 80 }), Buffer.from(text)),
  "web/src/ui/markdown/blocks.ts splitBlocks": (m) => (text) => m.splitBlocks(text, null),
}

const QUERY = "w1 w2 a title"

const TREE =
  "it gets a tree: `withTree` bounds the parser's time, and `factsOf` and `checkFile` are tried with whole texts"
const PART = "it is tried as a part of the parser of the whole text"
const OWN = "it puts text together, or passes it on whole"
const SHORT = "its text is a line or a name whose length is checked before"

/** Functions with such a parameter that need no attack, and why. */
const EXEMPT: Record<string, string> = Object.fromEntries([
  ...[
    ...["files/symbols/grammars.ts withTree", "files/symbols/page-elements.ts elementsIn"],
    ...["files/symbols/tree-symbols.ts symbolsIn", "work/checks/compiled/c-errors.ts checkSemicolons"],
    ...["work/checks/compiled/go-errors.ts checkGo", "work/checks/facts/flask.ts readFlask"],
    ...["work/checks/facts/javascript-module.ts readJavaScript", "work/checks/facts/markup.ts readHtml"],
    ...["work/checks/facts/markup.ts readCss", "work/checks/facts/python-module.ts readPython"],
    ...["work/checks/python/python-errors.ts checkPython", "work/checks/syntax.ts checkSyntax"],
    ...["work/checks/text/placeholders.ts checkPlaceholders", "work/checks/facts/element-names.ts readSelector"],
  ].map((name) => [`core/src/${name}`, TREE]),
  ...[
    ...["core/src/files/edits/prose.ts readProse", "core/src/files/edits/thoughts.ts stepThoughts"],
    ...["core/src/files/worktrees/diff-header.ts readHeaderLine", "core/src/work/checks/facts/finding.ts lineAt"],
    ...[
      "core/src/trim.ts trimEndWhere",
      "core/src/trim.ts trimWhere",
      "core/src/work/pages/plain-markdown.ts plainMarkdown",
    ],
    ...["core/src/work/pages/read-page.ts readPage", "core/src/work/teams/tools/check-files.ts faultsIn"],
    ...["core/src/work/workflow/plan/plan.ts parseTaskPlan", "core/src/work/workflow/plan/plan.ts parseAnswer"],
    ...[
      "functions/src/previews/opaque/opaque-pages.ts opaquePage",
      "functions/src/previews/opaque/opaque-pages.ts opaqueStyles",
    ],
    ...["core/src/work/teams/views/read-memory.ts findInMemory", "web/src/session/connection/sse.ts openStream"],
  ].map((name) => [name, PART]),
  ...[
    ...["core/src/agents/conversations/asks.ts endEvent", "core/src/agents/conversations/prompt.ts answerPrompt"],
    ...["core/src/agents/terminals/asciicast.ts castLine", "core/src/kernel/artifact.ts storeArtifact"],
    ...["core/src/storage/limits.ts recordSize", "core/src/work/chat/pages/added-pages.ts addReadPage"],
    ...["core/src/work/checks/facts/finding.ts faultAt", "core/src/work/headlines/headline.ts row"],
    ...["core/src/work/headlines/headline.ts debug", "core/src/work/trains/merge-step.ts refusedStep"],
    ...["core/src/sessions/moments/chat-files.ts requireRepository", "runner/src/agents/task-prompt.ts firstWords"],
    ...["runner/src/git/plumbing/blobs.ts writeBlob", "runner/src/git/plumbing/git-errors.ts gitFailure"],
    ...["runner/src/git/worktrees/commit-work.ts commitWork", "runner/src/sandbox/files-protocol.ts readValue"],
    ...["web/src/api/decode.ts decodeJson", "web/src/api/store-item.ts storeItem"],
    ...[
      "web/src/features/conversation/mentions.ts insertMention",
      "web/src/features/files/buffer/line-endings.ts withEnding",
    ],
    ...[
      "web/src/features/files/buffer/line-endings.ts withMark",
      "web/src/features/files/editor/editor-document.ts replaceText",
    ],
    ...["web/src/features/prompts/open-part-state.ts editOf", "web/src/features/prompts/overrides.ts withOverride"],
    ...[
      "web/src/features/prompts/prompt-text.ts withinLimit",
      "web/src/features/terminal/emulator/create-terminal.ts written",
    ],
    ...[
      "functions/src/http/studio.ts pageHeaders",
      "functions/src/http/studio.ts studioPolicy",
      "cli/src/connection.ts unlessCut",
    ],
    ...[
      "web/src/features/terminal/recording/load-recording.ts loadRecording",
      "core/src/agents/clis/tool-kinds.ts clip",
    ],
    ...["cli/src/chat/commands.ts complete", "core/src/thread-entry.ts serveCalls"],
  ].map((name) => [name, OWN]),
  ...[
    ...[
      "core/src/agents/questions/answer-in-words.ts answerInWords",
      "core/src/agents/tasks/new-task.ts namedRepository",
    ],
    ...["core/src/files/worktrees/remote.ts parseRemote", "core/src/sessions/git-host-grants.ts openFor"],
    ...["functions/src/http/byte-range.ts parseRange"],
  ].map((name) => [name, SHORT]),
])

interface Parser {
  name: string
  read: Read
  attacks: TextAttack[]
}

const ENTRIES = globSync("*/src/**/*.{ts,tsx}", { cwd: ROOT })
  .filter((file) => !NO_PARSERS.test(file))
  .sort()
  .map((file) => ({ file, ...readModule(file, readFileSync(join(ROOT, file), "utf8")) }))

const takesText = ({ parameters }: ExportedFunction) =>
  parameters.some(({ name, type }) => TEXTS.test(name) && SIMPLE.test(type))

const takesOnlyText = ({ parameters }: ExportedFunction) =>
  parameters.every(({ type, isOptional }) => isOptional || SIMPLE.test(type))

/** A call of a function with a text for each of its parameters. The second has half of it, as a part that is looked for. */
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

const PATHS = [
  "a.ts",
  "a.py",
  "a.html",
  "a.css",
  "a.json",
  "a.yml",
  "a.toml",
  "a.md",
  "a.go",
  "a.xml",
  "Dockerfile",
  "Makefile",
]

async function parsersOf({ file, functions, words }: (typeof ENTRIES)[number]): Promise<Parser[]> {
  const own = Object.keys(READERS).filter((name) => name.startsWith(`${file} `))
  const auto = functions.filter(
    (one) =>
      takesText(one) &&
      takesOnlyText(one) &&
      !own.includes(`${file} ${one.name}`) &&
      !(`${file} ${one.name}` in EXEMPT),
  )
  if (own.length + auto.length === 0) return []
  const module: Loaded = await import(join(ROOT, file))
  const attacks = textAttacks(words)
  return [
    ...own.map((name) => ({ name, read: READERS[name]?.(module) as Read, attacks })),
    ...auto.flatMap((one) => {
      const paths = one.parameters.some(({ name }) => name === "path") ? PATHS : [""]
      return paths.map((path) => ({
        name: `${file} ${one.name} ${path}`.trim(),
        read: callWith(module[one.name], one, path),
        attacks,
      }))
    }),
  ]
}

/** The text in pieces, as a stream has them. */
function* pieces<T extends string | Uint8Array>(text: T, chars = 499): Generator<T> {
  for (let at = 0; at < text.length; at += chars) yield text.slice(at, at + chars) as T
}

async function drain(items: AsyncIterable<unknown> | Iterable<unknown>) {
  for await (const _ of items);
}

/** Milliseconds of this thread's processor for reading a text, to the end if that is a generator. */
async function costOf(read: Read, text: string): Promise<number> {
  const before = process.threadCpuUsage()
  try {
    const result: unknown = await read(text)
    const values = (result as { values?: unknown } | undefined)?.values
    if (typeof values === "object" && values !== null && Symbol.iterator in values)
      await drain(values as Iterable<unknown>)
  } catch {
    // A refusal is an answer, too.
  }
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** A parser that takes the square of this takes more than `NOTICED_MS` for it, and for its slowest attacks most. */
const FIRST_CHARS = 4_000
const NOTICED_MS = 0.7
/** The attacks of a parser that are measured with longer texts. */
const MEASURED = 3
const MAX_RATIO = 2.5
/** A doubling counts from here on: below, what each call costs hides what the text costs. */
const MEASURED_MS = 10
const MAX_CHARS = 256_000
const REPEATS = 3

/** The quickest of some readings: whatever else the machine does only adds to them. */
async function leastCost(read: Read, text: string): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let nth = 0; nth < REPEATS; nth++) least = Math.min(least, await costOf(read, text))
  return least
}

/** The milliseconds for a text that doubles, if twice in a row that takes more than 2.5 times as long. */
async function growth(read: Read, attack: TextAttack): Promise<string | undefined> {
  const costs = [await leastCost(read, attack.text(FIRST_CHARS))]
  let slow = 0
  for (let chars = 2 * FIRST_CHARS; chars <= MAX_CHARS; chars *= 2) {
    const before = costs.at(-1) ?? 0
    const cost = await leastCost(read, attack.text(chars))
    costs.push(cost)
    if (before < MEASURED_MS) continue
    // One reading that was held up makes one doubling look quick.
    slow = cost > MAX_RATIO * before ? slow + 1 : 0
    if (slow === 2) return costs.map((ms) => ms.toFixed(0)).join(", ")
  }
}

/** The attacks for which a parser takes more than in proportion, of those that it is slowest for. */
async function slowAttacks({ read, attacks }: Parser): Promise<string[]> {
  const noticed: { attack: TextAttack; cost: number }[] = []
  for (const attack of attacks) {
    const text = attack.text(FIRST_CHARS)
    if ((await costOf(read, text)) < NOTICED_MS) continue
    // The first reading may have compiled the parser.
    const cost = await costOf(read, text)
    if (cost >= NOTICED_MS) noticed.push({ attack, cost })
  }
  const slowest = noticed.toSorted((one, other) => other.cost - one.cost).slice(0, MEASURED)
  const found: string[] = []
  for (const { attack } of slowest) {
    // Whatever else the machine does isn't in the way three times.
    const costs = (await growth(read, attack)) && (await growth(read, attack)) && (await growth(read, attack))
    if (costs !== undefined) found.push(`${attack.name}: ${costs} ms`)
  }
  return found
}

describe("a parser of text from outside", () => {
  it("is attacked, or is exempt for a reason", () => {
    const unknown = ENTRIES.flatMap(({ file, functions }) =>
      functions.filter((one) => takesText(one) && !takesOnlyText(one)).map(({ name }) => `${file} ${name}`),
    )
    expect(unknown.filter((name) => !(name in READERS) && !(name in EXEMPT))).toEqual([])
    const known = ENTRIES.flatMap(({ file, functions }) => functions.map(({ name }) => `${file} ${name}`))
    expect([...Object.keys(READERS), ...Object.keys(EXEMPT)].filter((name) => !known.includes(name))).toEqual([])
  })

  // One to two minutes of a processor.
  itDeep(
    "takes at most 2.5 times as long for twice the text",
    async () => {
      const slow: Record<string, string[]> = {}
      for (const entry of ENTRIES) {
        for (const parser of await parsersOf(entry)) {
          const attacks = await slowAttacks(parser)
          if (attacks.length > 0) slow[parser.name] = attacks
        }
      }
      expect(slow).toEqual({})
    },
    600_000,
  )

  it.each<[string, string, Read]>([
    ["strings that need their end", '\\"', (text) => text.replaceAll(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*/g, "")],
    ["a search for each line", "\n", (text) => text.split("\n").filter((_, at, all) => all.lastIndexOf("b", at))],
  ])("would be found to be slow: %s", async (_, word, read) => {
    const attacks = textAttacks([]).filter(({ name }) => name === JSON.stringify(word))
    expect(attacks).toHaveLength(1)
    expect(await slowAttacks({ name: "", read, attacks })).toHaveLength(1)
  })
})
