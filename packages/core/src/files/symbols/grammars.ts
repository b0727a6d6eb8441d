import type { Language, Parser, Tree } from "web-tree-sitter"
import { readWasm, type WasmFile } from "./grammar-files.ts"

type Loadable = Exclude<WasmFile, "library">

/**
 * Limits for a text to be parsed: number of characters, and number of open brackets. They are needed because the parser
 * checks the clock only between steps, and the last step of a text full of errors can take quadratic time.
 */
export const MAX_PARSED_CHARS = 100_000
const MAX_OPEN_BRACKETS = 1_000

/** Maximum CPU time for a parse. Texts written by people take a tenth of this time. */
const MAX_PARSE_MS = 1_000

/**
 * Soft memory limit for all trees together. A parse that exceeds it is aborted. `MAX_MEMORY_PAGES` is the hard limit.
 */
const MAX_TREE_BYTES = 128 * 1024 ** 2
const MAX_MEMORY_PAGES = 2 * (MAX_TREE_BYTES / 65_536)
const FIRST_MEMORY_PAGES = 512

/**
 * Parses a text and passes its tree to `use`. The tree's memory is freed when `use` returns, so `use` must not keep the
 * tree. Returns undefined if the text is too long, or if parsing it takes too much time or memory. Some texts crash the
 * library, which then throws and can't parse anything else. Therefore, servers parse in a thread that ends if the
 * library crashes.
 */
export async function withTree<T>(grammar: Loadable, text: string, use: (tree: Tree) => T): Promise<T | undefined> {
  if (text.length > MAX_PARSED_CHARS || isTooDeep(text)) return undefined
  const [library, parser] = await loadGrammar(grammar)
  let tree: Tree | null = null
  try {
    tree = parser.parse((index) => chunkAt(text, index), null, { progressCallback: limitOf(library.memory) })
    // Without a reset, the next parse would resume the aborted one.
    if (tree === null) parser.reset()
    return tree === null ? undefined : use(tree)
  } finally {
    tree?.delete()
  }
}

const PAIRS = ["()", "[]", "{}", "<>"]

/** Number of each bracket's pair, by character code. Numbers start at 1, and are negative for closing brackets. */
const BRACKETS = new Int8Array(128)
for (const [at, pair] of PAIRS.entries()) {
  BRACKETS[pair.charCodeAt(0)] = at + 1
  BRACKETS[pair.charCodeAt(1)] = -(at + 1)
}

function isTooDeep(text: string): boolean {
  const open = new Int32Array(PAIRS.length + 1)
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const bracket = code < 128 ? (BRACKETS[code] ?? 0) : 0
    if (bracket === 0) continue
    const pair = Math.abs(bracket)
    const now = (open[pair] ?? 0) + Math.sign(bracket)
    if (now > MAX_OPEN_BRACKETS) return true
    open[pair] = Math.max(0, now)
  }
  return false
}

const CHUNK_CHARS = 5_000

/**
 * Returns the text from an index on, up to the size of the library's buffer. If a surrogate pair were split at the end,
 * the library would lose both halves, so such a pair is left for the next chunk.
 */
function chunkAt(text: string, index: number): string {
  const chunk = text.slice(index, index + CHUNK_CHARS)
  const last = chunk.charCodeAt(chunk.length - 1)
  return last >= 0xd800 && last < 0xdc00 && chunk.length > 1 ? chunk.slice(0, -1) : chunk
}

/**
 * Returns a function that checks whether a parse has exceeded its limits. Memory above the limit counts only if it grew
 * during this parse, because WebAssembly memory never shrinks.
 */
function limitOf(memory: WebAssembly.Memory): () => boolean {
  const deadline = process.threadCpuUsage().user + 1_000 * MAX_PARSE_MS
  const bytesBefore = memory.buffer.byteLength
  return () => {
    const bytes = memory.buffer.byteLength
    return process.threadCpuUsage().user > deadline || (bytes > MAX_TREE_BYTES && bytes > bytesBefore)
  }
}

interface Library {
  Parser: typeof Parser
  Language: typeof Language
  memory: WebAssembly.Memory
}

// Compiled code never changes, so it is loaded only once, on first use.
/** One parser per grammar, which is enough because parsing is synchronous. The memory of each parser is reused. */
const grammars = new Map<Loadable, Promise<[Library, Parser]>>()
let library: Promise<Library> | undefined
let last: Promise<unknown> = Promise.resolve()

function loadGrammar(grammar: Loadable): Promise<[Library, Parser]> {
  const known = grammars.get(grammar)
  if (known) return known
  library ??= loadLibrary()
  // Load grammars one after another, because the library links them into one memory.
  const loading = Promise.all([library, readWasm(grammar), last]).then(
    async ([library, bytes]): Promise<[Library, Parser]> => {
      const language = await library.Language.load(bytes)
      return [library, new library.Parser().setLanguage(language)]
    },
  )
  last = loading.catch(() => {})
  grammars.set(grammar, loading)
  return loading
}

async function loadLibrary(): Promise<Library> {
  const [{ Parser, Language }, wasmBinary] = await Promise.all([import("web-tree-sitter"), readWasm("library")])
  const memory = new WebAssembly.Memory({ initial: FIRST_MEMORY_PAGES, maximum: MAX_MEMORY_PAGES })
  await Parser.init({ wasmBinary, wasmMemory: memory })
  return { Parser, Language, memory }
}
