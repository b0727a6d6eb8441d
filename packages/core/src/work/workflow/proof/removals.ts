import { factsInThread } from "../../../files/symbols/in-thread.ts"
import type { WorkspacePath } from "../../../files/workspaces/path.ts"
import { extensionOf } from "../../checks/facts/file-kinds.ts"
import { testCasesIn } from "../../verification/test-cases.ts"
import { isTest } from "../../verification/test-files.ts"
import type { SearchedFile } from "./find-literals.ts"

/** Parts that a change removed from a file. */
export interface Removal {
  path: WorkspacePath
  /** Removed things, in words, such as `the route /cart`. */
  things: string[]
}

/** A file before and after a change; the text is null if the file was deleted. */
interface ComparedFile {
  path: WorkspacePath
  before: string
  after: string | null
}

/** Files with fewer lines may lose any of them. */
const MIN_LINES = 12
/** Share of lines or rules that a change may remove without a question. */
const REMOVED_SHARE = 1 / 3
const NAMED = 8
/** Maximum number of characters of a file in which names are looked for. */
const MAX_CHARS = 400_000

/**
 * Finds what a change removed: exports, used components, element ids, routes, tests, style rules, and large parts of
 * files. Ignores what moved to another file, and what the request names as unwanted. `touched` are the paths of the
 * changed and added files.
 */
export async function findRemovals(
  changed: readonly ComparedFile[],
  { head, touched }: { head: readonly SearchedFile[]; touched: ReadonlySet<string> },
  request: string,
): Promise<Removal[]> {
  const left = new Map(KINDS.map((kind) => [kind, new Set(head.flatMap(({ path, text }) => kind.namesIn(path, text)))]))
  const declared = new Set((await Promise.all(head.filter(({ path }) => touched.has(path)).map(exportsOf))).flat())
  const lines = new Set(head.flatMap(({ text }) => linesOf(text)))
  const isAsked = (name: string) => REMOVES.test(request) && request.toLowerCase().includes(name.toLowerCase())
  const mayShrink = REMOVES.test(request) || REWRITES.test(request)

  async function thingsOf({ path, before, after }: ComparedFile): Promise<string[]> {
    const gone = (names: readonly string[], kept: ReadonlySet<string> | undefined) =>
      [...new Set(names)].filter((name) => !kept?.has(name) && !isAsked(name))
    const exported = gone(await exportsOf({ path, text: before }), declared)
    const named = KINDS.map((kind) => counted(kind.words, gone(kind.namesIn(path, before), left.get(kind))))
    const size = mayShrink ? [] : [lostRules(path, before, after), lostLines(before, after, lines)]
    return [counted(["the export", "the exports"], exported), ...named, ...size].filter((thing) => thing !== undefined)
  }

  const found = await Promise.all(changed.map(async (file) => ({ path: file.path, things: await thingsOf(file) })))
  return found.filter(({ things }) => things.length > 0)
}

const REMOVES = /\b(?:remov|delet|drop|renam|replac|without|no longer|rid of|merge|hide|instead)/i
const REWRITES =
  /\b(?:rewrite|rewrit|from scratch|redesign|start over|simplif|shorten|reduc|minimal|strip|clean ?up|refactor)/i

interface Kind {
  words: [one: string, more: string]
  namesIn(path: string, text: string): string[]
}

const KINDS: Kind[] = [
  {
    words: ["the component", "the components"],
    namesIn: finder(["jsx", "tsx", "js", "vue", "svelte", "astro"], [/<([A-Z][\w.]{0,60})(?=[\s/>])/g]),
  },
  { words: ["the element", "the elements"], namesIn: finder(["html", "htm"], [/\sid=["']([\w-]{1,60})["']/g]) },
  {
    words: ["the route", "the routes"],
    namesIn: finder(
      ["js", "mjs", "cjs", "ts", "jsx", "tsx", "py", "go", "rb", "php", "vue"],
      [
        /\.(?:get|post|put|patch|delete|all|route|HandleFunc|Handle)\(\s?["'`]((?:[A-Z]{3,6} )?\/[^"'`\s]{0,120})["'`]/g,
        /\bpath[:=]\s?\{?["'`](\/[^"'`\s]{0,120})["'`]/g,
      ],
    ),
  },
  {
    words: ["the test", "the tests"],
    namesIn: (path, text) => {
      if (!isTest(path)) return []
      return testCasesIn(path, text).flatMap(({ name }) => (name === "" ? [] : [name]))
    },
  },
]

function finder(extensions: string[], patterns: RegExp[]): Kind["namesIn"] {
  return (path, text) => {
    if (!extensions.includes(extensionOf(path)) || text.length > MAX_CHARS) return []
    return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = ""]) => name))
  }
}

/** Returns the names that other files can use. */
async function exportsOf({ path, text }: SearchedFile): Promise<string[]> {
  if (isTest(path)) return []
  const facts = await factsInThread(path, text)
  const isExported =
    EXPORTED[extensionOf(path)] ?? (/^[cm]?[jt]sx?$/.test(extensionOf(path)) ? isModuleExport : undefined)
  if (!facts || !isExported) return []
  return facts.symbols.filter(isExported).map(({ name }) => name)
}

type Declared = { name: string; signature: string }

const isModuleExport = ({ signature }: Declared) => /^export\b/.test(signature)
const EXPORTED: Record<string, (symbol: Declared) => boolean> = {
  py: ({ name, signature }) => /^(?:async )?(?:def|class)\b/.test(signature) && !name.startsWith("_"),
  go: ({ name }) => /^\p{Lu}/u.test(name),
  rs: ({ signature }) => /^pub\b/.test(signature),
  java: ({ signature }) => /\bpublic\b/.test(signature),
}

function lostRules(path: string, before: string, after: string | null): string | undefined {
  if (after === null || !["css", "scss", "less"].includes(extensionOf(path))) return undefined
  const [was, is] = [before, after].map((text) => text.split("{").length - 1) as [number, number]
  return was >= 3 && is < was * (1 - REMOVED_SHARE) ? `${was - is} of ${was} style rules` : undefined
}

/** Returns how many lines a file lost, if it became much shorter and they are in no other file. */
function lostLines(before: string, after: string | null, kept: ReadonlySet<string>): string | undefined {
  const was = linesOf(before)
  const gone = was.filter((line) => !kept.has(line))
  const shrunk = was.length - linesOf(after ?? "").length
  if (was.length < MIN_LINES || Math.min(gone.length, shrunk) <= was.length * REMOVED_SHARE) return undefined
  return after === null ? `the whole file of ${was.length} lines` : `${shrunk} of ${was.length} lines`
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
}

function counted([one, more]: Kind["words"], names: string[]): string | undefined {
  if (names.length === 0) return undefined
  const rest = names.length > NAMED ? ` and ${names.length - NAMED} more` : ""
  return `${names.length === 1 ? one : more} ${names.slice(0, NAMED).join(", ")}${rest}`
}
