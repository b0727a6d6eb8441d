import { mapConcurrent } from "../../../concurrency/map-concurrent.ts"
import { isAppError } from "../../../errors.ts"
import { matchTextsInThread } from "../../../files/symbols/in-thread.ts"
import type { FileMatch, SearchedFile } from "../../../files/symbols/match-texts.ts"
import type { References } from "../../../files/symbols/references.ts"
import type { FileFacts } from "../../../files/symbols/schema.ts"
import type { SymbolIndex } from "../../../files/symbols/symbol-index.ts"
import type { Workspace } from "../../../files/workspaces/files.ts"
import type { ManifestFile } from "../../../files/workspaces/manifest.ts"
import { isTest } from "../../verification/test-files.ts"
import { isManifest } from "./file-kinds.ts"
import { namedFiles, type RequestTerm, requestTerms } from "./request-terms.ts"

/** Ranks a project's files for a request. */
export type RankFiles = (
  files: Workspace,
  candidates: readonly ManifestFile[],
  about: { request: string; planned: readonly string[]; signal: AbortSignal },
) => Promise<RankedFile[]>

export interface RankedFile {
  file: ManifestFile
  /** True if the file, or a file that it references or that references it, matches the request. */
  isRelevant: boolean
}

interface RankDeps {
  /** Returns the declarations and imports of the files that can be parsed in time. */
  indexFiles(files: Workspace, options: { signal: AbortSignal }): Promise<SymbolIndex>
}

/** Time limit for reading files. Files that aren't read in time are ranked only by their paths and declared names. */
const READ_WITHIN_MS = 30_000
const READS_AT_ONCE = 32
/** Size limit for files to read, because people rarely write larger files. */
const MAX_READ_BYTES = 256 * 1024
/** Number of characters after which a batch is sent to the thread, because sending copies the texts. */
const BATCH_CHARS = 1_000_000

const SCORES = { fileName: 4, folder: 1.5, names: 2.5, text: 1 }
/** Score of a file that the request or the plan names, relative to the best score of all matches. */
const NAMED_FACTOR = 2
const TEST_FACTOR = 0.6
/** Share of a file's score that is passed on to the files that it references or that reference it. */
const PASSED_ON = 0.35
/** Minimum share of the best score for a file to be relevant. */
const LEAST_SHARE = 0.04

/**
 * Creates a function that ranks files by the words in a request and by references between files. Files named by the
 * request or the plan come first. The texts are searched in a thread, because the search would block the server.
 */
export function createRankFiles(deps: RankDeps): RankFiles {
  return async (files, candidates, { request, planned, signal }) => {
    const { referencesOf } = await import("../../../files/symbols/references.ts")
    const index = await deps.indexFiles(files, { signal })
    const terms = requestTerms(request)
    const matches = await matchAll(files, candidates, { terms, index, signal })
    const sizes = new Map<string, number>(candidates.map(({ path, size }) => [path, size]))
    const paths = files.manifest.files.map(({ path }) => path)
    const references = referencesOf(index.files, paths)
    const scores = scoresOf(matches, { terms, sizes, isAboutTests: /\b(?:tests?|specs?)\b/i.test(request) })
    const named = new Set([...namedFiles(request, paths), ...planned].filter((path) => sizes.has(path)))
    const best = Math.max(0, ...scores.values())
    for (const path of named) scores.set(path, NAMED_FACTOR * (best || 1))
    const passed = withReferences(scores, references)
    const scoreOf = ({ path }: ManifestFile) =>
      Math.max(passed.get(path) ?? 0, isManifest(path) && !path.includes("/") ? best / 3 : 0)
    const referrersOf = ({ path }: ManifestFile) => references.referrers.get(path)?.length ?? 0
    return candidates
      .map((file) => ({ file, isNamed: named.has(file.path), score: scoreOf(file), referrers: referrersOf(file) }))
      .sort(
        (a, b) =>
          Number(b.isNamed) - Number(a.isNamed) ||
          b.score - a.score ||
          Number(isTest(a.file.path)) - Number(isTest(b.file.path)) ||
          b.referrers - a.referrers ||
          a.file.size - b.file.size,
      )
      .map(({ file, score }) => ({ file, isRelevant: score >= LEAST_SHARE * best }))
  }
}

/** Wraps a ranking function so that it ranks only once. Later calls, for shorter prompts, return the same result. */
export function rankOnce(rankFiles: RankFiles): RankFiles {
  let ranked: ReturnType<RankFiles> | undefined
  return (...args) => {
    ranked ??= rankFiles(...args)
    return ranked
  }
}

/** Returns the matches in each file. If a file isn't read in time, only its path and names can match. */
async function matchAll(
  files: Workspace,
  candidates: readonly ManifestFile[],
  { terms, index, signal }: { terms: readonly RequestTerm[]; index: SymbolIndex; signal: AbortSignal },
): Promise<Map<string, FileMatch>> {
  const matches = new Map<string, FileMatch>()
  if (terms.length === 0) return matches
  const enough = AbortSignal.timeout(READ_WITHIN_MS)
  const read = async (file: ManifestFile): Promise<SearchedFile> => ({
    path: file.path,
    text: enough.aborted || file.size > MAX_READ_BYTES ? "" : await textOf(files, file, signal),
    declares: namesIn(index.files.get(file.path)),
  })
  let batch: SearchedFile[] = []
  let chars = 0
  const match = async () => {
    const found = await matchTextsInThread(batch, terms)
    for (const [at, { path }] of batch.entries()) if (found?.[at]) matches.set(path, found[at])
    batch = []
    chars = 0
  }
  for await (const file of mapConcurrent(candidates, read, { atOnce: READS_AT_ONCE })) {
    batch.push(file)
    chars += file.text.length
    if (chars > BATCH_CHARS) await match()
  }
  await match()
  return matches
}

/** Returns a file's text. Empty if the file isn't text. */
async function textOf(files: Workspace, { path }: ManifestFile, signal: AbortSignal): Promise<string> {
  try {
    return await files.readText(path, { signal })
  } catch (error) {
    if (!isAppError(error, "workspace_binary_file") && !isAppError(error, "workspace_validation_error")) throw error
    return ""
  }
}

function namesIn(facts: FileFacts | undefined): string[] {
  return (facts?.symbols ?? []).flatMap(({ name, members }) => [name, ...members.map((member) => member.name)])
}

/**
 * Scores files similarly to BM25: rare terms count more, each repetition of a term counts less, and matches in long
 * texts count less.
 */
function scoresOf(
  matches: ReadonlyMap<string, FileMatch>,
  about: { terms: readonly RequestTerm[]; sizes: ReadonlyMap<string, number>; isAboutTests: boolean },
): Map<string, number> {
  const { terms, sizes, isAboutTests } = about
  const filesWith = terms.map(() => 0)
  for (const { hits } of matches.values()) for (const { term } of hits) filesWith[term] = (filesWith[term] ?? 0) + 1
  const rarity = filesWith.map((count) => Math.log(1 + (matches.size - count + 0.5) / (count + 0.5)))
  const meanSize = [...sizes.values()].reduce((sum, size) => sum + size, 0) / Math.max(1, sizes.size)
  const scores = new Map<string, number>()
  for (const [path, { hits, isMinified }] of matches) {
    const length = (sizes.get(path) ?? 0) / meanSize
    let score = 0
    for (const { term, inText, inNames, inFileName, inFolders } of hits) {
      const inPath = inFileName ? SCORES.fileName : inFolders ? SCORES.folder : 0
      const found = inPath + SCORES.names * saturated(inNames, 1) + SCORES.text * saturated(inText, length)
      score += found * (terms[term]?.weight ?? 0) * (rarity[term] ?? 0)
    }
    const isLess = isMinified ? 0 : isTest(path) && !isAboutTests ? TEST_FACTOR : 1
    if (score > 0) scores.set(path, score * isLess)
  }
  return scores
}

function saturated(count: number, length: number): number {
  return (2.2 * count) / (count + 1.2 * (0.4 + 0.6 * Math.min(length, 8)))
}

/**
 * Adds to a file's score a share of the best score among the files that it references or that reference it. The more
 * files reference a file, the smaller its share.
 */
function withReferences(scores: ReadonlyMap<string, number>, { imports, referrers }: References): Map<string, number> {
  const passed = new Map(scores)
  for (const path of new Set([...imports.keys(), ...referrers.keys()])) {
    const from = referrers.get(path) ?? []
    const neighbours = [...from, ...(imports.get(path) ?? [])]
    const best = neighbours.reduce((most, other) => Math.max(most, scores.get(other) ?? 0), 0)
    const received = (PASSED_ON * best) / Math.sqrt(1 + from.length / 3)
    if (received > 0) passed.set(path, (scores.get(path) ?? 0) + received)
  }
  return passed
}
