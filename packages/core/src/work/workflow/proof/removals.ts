import type { WorkspacePath } from "../../../files/workspaces/path.ts"
import { formatCount } from "../../../text/format.ts"
import { COUNTED_KINDS, emptiedFunctions, exportsOf, FEWER_KINDS, KINDS, type Kind } from "./feature-kinds.ts"
import type { SearchedFile } from "./find-literals.ts"

/** Parts that a change removed from a file. */
export interface Removal {
  path: WorkspacePath
  /** Descriptions of the removed parts, such as `the route /cart`. */
  things: string[]
}

/** A file before and after a change. The text is null if the file was deleted. */
interface ComparedFile {
  path: WorkspacePath
  before: string
  after: string | null
}

/** Files with fewer lines may lose any of their lines, but not all. */
const MIN_LINES = 12
/** Share of a file's lines that a change may remove without being questioned. */
const REMOVED_SHARE = 1 / 3
const NAMED = 8

/**
 * Finds removed parts: exports, methods, used components, elements and their handlers, routes, options, tests,
 * sections, style rules, whole files and large parts of files. Ignores parts that were moved to another file, and parts
 * that the request asks to remove. `touched` contains the paths of changed and added files.
 */
export async function findRemovals(
  changed: readonly ComparedFile[],
  { head, touched }: { head: readonly SearchedFile[]; touched: ReadonlySet<string> },
  request: string,
): Promise<Removal[]> {
  const left = new Map(KINDS.map((kind) => [kind, new Set(namesIn(kind, head))]))
  const declared = new Set((await Promise.all(head.filter(({ path }) => touched.has(path)).map(exportsOf))).flat())
  const lines = new Set(head.flatMap(({ text }) => linesOf(text)))
  const isAsked = (name: string) => REMOVES.test(request) && request.toLowerCase().includes(name.toLowerCase())
  const mayShrink = REMOVES.test(request) || REWRITES.test(request)
  const changedFiles = head.filter(({ path }) => touched.has(path))
  const beforeFiles = changed.map(({ path, before }) => ({ path, text: before }))
  const fewer = FEWER_KINDS.filter((kind) => namesIn(kind, changedFiles).length < namesIn(kind, beforeFiles).length)
  const keptNames = new Map(fewer.map((kind) => [kind, new Set(namesIn(kind, changedFiles))]))
  const totals = COUNTED_KINDS.map((kind) => {
    return { kind, before: countsOf(kind, beforeFiles), after: countsOf(kind, changedFiles) }
  })

  async function thingsOf({ path, before, after }: ComparedFile): Promise<string[]> {
    const gone = (names: readonly string[], kept: ReadonlySet<string> | undefined) =>
      [...new Set(names)].filter((name) => !kept?.has(name) && !isAsked(name))
    const exported = gone(await exportsOf({ path, text: before }), declared)
    const named = KINDS.map((kind) => counted(kind.words, gone(kind.namesIn(path, before), left.get(kind))))
    const emptied = gone(emptiedFunctions(before, after ?? ""), undefined)
    const always = [
      counted(["the export", "the exports"], exported),
      ...named,
      counted(["the body of", "the bodies of"], emptied),
    ]
    if (mayShrink) return always.filter((thing) => thing !== undefined)
    const lessOf = fewer.map((kind) => counted(kind.words, gone(kind.namesIn(path, before), keptNames.get(kind))))
    const counts = totals.flatMap(({ kind, ...total }) => {
      const now = countsOf(kind, [{ path, text: after ?? "" }])
      return [...countsOf(kind, [{ path, text: before }])].flatMap(([name, was]) => {
        const is = now.get(name) ?? 0
        const isLess = is < was && (total.after.get(name) ?? 0) < (total.before.get(name) ?? 0)
        return isLess ? [`${was - is} of ${was} ${kind.words[1]} ${name}`] : []
      })
    })
    return [...always, ...lessOf, ...counts, lostLines(before, after, lines)].filter((thing) => thing !== undefined)
  }

  const found = await Promise.all(changed.map(async (file) => ({ path: file.path, things: await thingsOf(file) })))
  return found.filter(({ things }) => things.length > 0)
}

function namesIn(kind: Kind, files: readonly SearchedFile[]): string[] {
  return files.flatMap(({ path, text }) => kind.namesIn(path, text))
}

function countsOf(kind: Kind, files: readonly SearchedFile[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const name of namesIn(kind, files)) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

const REMOVES = /\b(?:remov|delet|drop|renam|replac|without|no longer|rid of|merge|hide|instead)/i
const REWRITES =
  /\b(?:rewrite|rewrit|from scratch|redesign|start over|simplif|shorten|reduc|minimal|strip|clean ?up|refactor|convert|migrat|port(?:ing)? )/i

/**
 * Describes how many lines a file lost. Undefined unless the file became empty or much shorter and its lines weren't
 * moved to another file.
 */
function lostLines(before: string, after: string | null, kept: ReadonlySet<string>): string | undefined {
  const [was, is] = [linesOf(before), linesOf(after ?? "")]
  const shrunk = was.length - is.length
  // Ignore lines without words, such as brackets, because every file contains them.
  const worded = was.filter((line) => /[\p{L}\p{N}]/u.test(line))
  const gone = worded.filter((line) => !kept.has(line))
  const isSmall = was.length < MIN_LINES && is.length > 0
  const isKept = gone.length <= worded.length * REMOVED_SHARE || shrunk <= was.length * REMOVED_SHARE
  if (isSmall || isKept) return undefined
  return is.length === 0 ? `the whole file of ${formatCount(was.length, "line")}` : `${shrunk} of ${was.length} lines`
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
}

function counted([one, more]: Kind["words"], names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined
  const rest = names.length > NAMED ? ` and ${names.length - NAMED} more` : ""
  return `${names.length === 1 ? one : more} ${names.slice(0, NAMED).join(", ")}${rest}`
}
