import * as z from "zod"
import { mapConcurrent } from "../../concurrency/map-concurrent.ts"
import { AppError } from "../../errors.ts"
import { type Blobs, readAll } from "../../storage/blobs.ts"
import type { Workspace } from "../workspaces/files.ts"
import type { ManifestFile } from "../workspaces/manifest.ts"
import { MAX_EDITABLE_BYTES } from "../workspaces/text.ts"
import { factsInThread } from "./in-thread.ts"
import { FileFacts } from "./schema.ts"
import type { FactsByStamp, SymbolCache } from "./symbol-cache.ts"

/** Must be incremented whenever the facts about an unchanged text change. */
const VERSION = 1

const Stored = z.object({ version: z.literal(VERSION), facts: z.array(z.tuple([z.string(), FileFacts.nullable()])) })

const READS_AT_ONCE = 16
const NEVER = new AbortController().signal
/**
 * Minimum share of new facts at which storing them is worthwhile. For fewer files, reading them again is faster than
 * rewriting the whole blob.
 */
const WORTH_STORING = 0.01

/** The files to index, which are one version of a session's files. */
type IndexedFiles = Pick<Workspace, "manifest" | "readText">

/** Facts about a codebase's files at one point in time. */
export interface SymbolIndex {
  files: ReadonlyMap<string, FileFacts>
  /** Number of files that haven't been read. */
  missing: number
}

interface SymbolsDeps {
  blobs: Blobs
  /** Key of the blob that stores all facts. */
  key: string
  cache?: SymbolCache | undefined
}

/**
 * Creates an index of a codebase's symbols, by file content. Each file is read and parsed once, and again only if it
 * changes. The facts are stored, so they outlive this process.
 */
export function createSymbols({ blobs, key, cache }: SymbolsDeps) {
  let loaded: Promise<FactsByStamp> | undefined

  async function load(signal: AbortSignal): Promise<FactsByStamp> {
    const source = await blobs.get(key, { signal })
    const text = source && (await readAll(source)).toString()
    const stored = Stored.safeParse(text === undefined ? undefined : parsed(text))
    return new Map(stored.success ? stored.data.facts : [])
  }

  async function factsByStamp(signal: AbortSignal): Promise<FactsByStamp> {
    // Load without this caller's signal, because other callers may be waiting for the same load.
    if (cache) return cache.facts(key, () => load(NEVER))
    loaded ??= load(signal)
    try {
      return await loaded
    } catch (error) {
      loaded = undefined
      throw error
    }
  }

  return {
    /** Returns the index of the facts known so far. Reads no files. */
    async known(workspace: IndexedFiles, { signal }: { signal: AbortSignal }): Promise<SymbolIndex> {
      return indexOf(await codeFiles(workspace), await factsByStamp(signal))
    },
    /** Reads the remaining files, and stores their facts. If aborted, keeps the facts read so far. */
    async build(workspace: IndexedFiles, { signal }: { signal: AbortSignal }): Promise<SymbolIndex> {
      const [files, facts] = [await codeFiles(workspace), await factsByStamp(signal)]
      const missing = files.filter((file) => !facts.has(stampOf(file)))
      try {
        const read = async (file: ManifestFile) => ({ file, found: await readFacts(workspace, file, signal) })
        for await (const { file, found } of mapConcurrent(missing, read, { atOnce: READS_AT_ONCE })) {
          facts.set(stampOf(file), found)
          signal.throwIfAborted()
        }
      } finally {
        if (signal.aborted || missing.length > WORTH_STORING * files.length) await store(files, facts)
      }
      return indexOf(files, facts)
    },
  }

  /** Stores the facts about these files only, because facts about earlier contents aren't worth the space. */
  async function store(files: ManifestFile[], facts: FactsByStamp): Promise<void> {
    const entries = [...new Set(files.map(stampOf))].sort().flatMap((stamp) => {
      const found = facts.get(stamp)
      return found === undefined ? [] : [[stamp, found]]
    })
    await blobs.put(key, Buffer.from(JSON.stringify({ version: VERSION, facts: entries })), {
      contentType: "application/json",
    })
  }
}

async function codeFiles({ manifest }: IndexedFiles): Promise<ManifestFile[]> {
  // Load the grammars only with the first index, so that a worker starts without them.
  const { codeLanguageOf } = await import("./languages.ts")
  return manifest.files.filter(({ path, size }) => codeLanguageOf(path) !== undefined && size <= MAX_EDITABLE_BYTES)
}

async function readFacts(
  workspace: IndexedFiles,
  { path }: ManifestFile,
  signal: AbortSignal,
): Promise<FileFacts | null> {
  try {
    return (await factsInThread(path, await workspace.readText(path, { signal }))) ?? null
  } catch (error) {
    // The file isn't text or no longer exists.
    if (error instanceof AppError && error.code.startsWith("workspace_")) return null
    throw error
  }
}

/**
 * Returns the file's stamp. The stamp includes the extension, because the same bytes have different facts in another
 * language.
 */
function stampOf({ path, sha256 }: ManifestFile): string {
  return `${path.slice(path.lastIndexOf(".") + 1)}:${sha256}`
}

function indexOf(files: ManifestFile[], facts: FactsByStamp): SymbolIndex {
  const known = files.flatMap((file) => {
    const found = facts.get(stampOf(file))
    return found ? [[file.path, found] as const] : []
  })
  return { files: new Map(known), missing: files.filter((file) => !facts.has(stampOf(file))).length }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
