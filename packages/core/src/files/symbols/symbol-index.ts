import * as z from "zod"
import { AppError } from "../../errors.ts"
import { mapConcurrent } from "../../map-concurrent.ts"
import { type Blobs, readAll } from "../../storage/blobs.ts"
import type { Codebase, CodeFile } from "../codebase/codebase.ts"
import { MAX_EDITABLE_BYTES } from "../workspaces/text.ts"
import { factsInThread } from "./in-thread.ts"
import { FileFacts } from "./schema.ts"
import type { FactsByStamp, SymbolCache } from "./symbol-cache.ts"

/** Counts up with every change to what the facts of the same text are. */
const VERSION = 1

const Stored = z.object({ version: z.literal(VERSION), facts: z.array(z.tuple([z.string(), FileFacts.nullable()])) })

const READS_AT_ONCE = 16
const NEVER = new AbortController().signal
/** Fewer new facts than that share of all files are read again sooner than all of them are stored. */
const WORTH_STORING = 0.01

/** The files that an index is made of. */
export type IndexedFiles = Pick<Codebase, "list" | "read">

/** The facts about the files of a codebase as they are at one time. */
export interface SymbolIndex {
  files: ReadonlyMap<string, FileFacts>
  /** The number of files that nobody has looked at yet. */
  missing: number
}

/**
 * The symbols of a codebase, by what each file holds: a file is read and parsed once, and again only after it has changed. What
 * is known is stored, so it outlives a container.
 */
export interface Symbols {
  /** The index of what was read before; reads no file. */
  known(codebase: IndexedFiles, options: { signal: AbortSignal }): Promise<SymbolIndex>
  /** Reads what isn't known, in the background of whatever else goes on, and stores it. An abort keeps what was read so far. */
  build(codebase: IndexedFiles, options: { signal: AbortSignal }): Promise<SymbolIndex>
}

interface SymbolsDeps {
  blobs: Blobs
  /** The name of the one blob that stores all facts. */
  key: string
  cache?: SymbolCache | undefined
}

export function createSymbols({ blobs, key, cache }: SymbolsDeps): Symbols {
  let loaded: Promise<FactsByStamp> | undefined

  async function load(signal: AbortSignal): Promise<FactsByStamp> {
    const source = await blobs.get(key, { signal })
    const text = source && (await readAll(source)).toString()
    const stored = Stored.safeParse(text === undefined ? undefined : parsed(text))
    return new Map(stored.success ? stored.data.facts : [])
  }

  async function factsByStamp(signal: AbortSignal): Promise<FactsByStamp> {
    // Others may wait for the same, so that it doesn't end with the first that gives up.
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
    async known(codebase, { signal }) {
      return indexOf(await codeFiles(codebase, signal), await factsByStamp(signal))
    },
    async build(codebase, { signal }) {
      const [files, facts] = [await codeFiles(codebase, signal), await factsByStamp(signal)]
      const missing = files.filter((file) => !facts.has(stampOf(file)))
      try {
        const read = async (file: CodeFile) => ({ file, found: await readFacts(codebase, file, signal) })
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

  /** Only what these files hold: what others held before is not worth its place. */
  async function store(files: CodeFile[], facts: FactsByStamp): Promise<void> {
    const entries = [...new Set(files.map(stampOf))].sort().flatMap((stamp) => {
      const found = facts.get(stamp)
      return found === undefined ? [] : [[stamp, found]]
    })
    await blobs.put(key, Buffer.from(JSON.stringify({ version: VERSION, facts: entries })), {
      contentType: "application/json",
    })
  }
}

async function codeFiles(codebase: IndexedFiles, signal: AbortSignal): Promise<CodeFile[]> {
  // Loaded with the first index: a worker needn't know languages to start.
  const { codeLanguageOf } = await import("./languages.ts")
  const files = await codebase.list({ signal })
  return files.filter(({ path, sizeBytes }) => codeLanguageOf(path) !== undefined && sizeBytes <= MAX_EDITABLE_BYTES)
}

async function readFacts(codebase: IndexedFiles, { path }: CodeFile, signal: AbortSignal): Promise<FileFacts | null> {
  try {
    const { text } = await codebase.read(path, { signal })
    return (await factsInThread(path, text)) ?? null
  } catch (error) {
    // Not text, or gone meanwhile: there is nothing to be known of it.
    if (error instanceof AppError && error.code.startsWith("workspace_")) return null
    throw error
  }
}

/** The same bytes are other facts in another language. */
function stampOf({ path, stamp }: CodeFile): string {
  return `${path.slice(path.lastIndexOf(".") + 1)}:${stamp}`
}

function indexOf(files: CodeFile[], facts: FactsByStamp): SymbolIndex {
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
