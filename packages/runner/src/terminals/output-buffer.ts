import type { TerminalEvent } from "@switchyard/core/agents/terminals/schema"

/** Output and resizes of a terminal that aren't in the log yet, in order. */
export interface OutputBuffer {
  /** Number of buffered bytes. */
  readonly sizeBytes: number
  /** Sequence number of the session event before the bytes that were taken or dropped last. */
  readonly after: number
  /** Adds bytes. `after` is the session event that precedes them. */
  bytes(chunk: Uint8Array, after: number): void
  resized(rows: number, cols: number): void
  /** Removes everything before `offset`, including a resize at exactly that offset, and returns it as events. */
  take(offset: number): TerminalEvent[]
  /** Returns the bytes from `since` to `offset` without removing them. */
  peek(offset: number, since?: number): Uint8Array
  /** Drops everything before `offset`, because a snapshot replaces it. */
  drop(offset: number): void
}

/**
 * Maximum number of bytes per event. Their base64 must fit in a record. The number is a multiple of three, so that the
 * base64 of several events can be joined.
 */
const CHUNK_BYTES = 20 * 1023

type Item = { offset: number; bytes: Uint8Array; after: number } | { offset: number; rows: number; cols: number }

export function createOutputBuffer(): OutputBuffer {
  let items: Item[] = []
  let end = 0
  let sizeBytes = 0
  let after = 0

  /** Removes and returns everything before `offset`. */
  function cut(offset: number): Item[] {
    const before: Item[] = []
    const rest: Item[] = []
    for (const item of items) {
      if (!("bytes" in item)) (item.offset <= offset && rest.length === 0 ? before : rest).push(item)
      else if (item.offset + item.bytes.length <= offset) before.push(item)
      else if (item.offset >= offset) rest.push(item)
      else {
        const at = offset - item.offset
        before.push({ ...item, bytes: item.bytes.subarray(0, at) })
        rest.push({ ...item, offset, bytes: item.bytes.subarray(at) })
      }
    }
    items = rest
    for (const item of before) if ("bytes" in item) after = item.after
    sizeBytes = rest.reduce((sum, item) => sum + ("bytes" in item ? item.bytes.length : 0), 0)
    return before
  }

  return {
    get sizeBytes() {
      return sizeBytes
    },
    get after() {
      return after
    },
    bytes(chunk, after) {
      items.push({ offset: end, bytes: chunk, after })
      end += chunk.length
      sizeBytes += chunk.length
    },
    resized: (rows, cols) => void items.push({ offset: end, rows, cols }),
    take: (offset) => runs(cut(offset)).flatMap(logged),
    peek(offset, since = 0) {
      const all = items.flatMap((item) =>
        "bytes" in item && item.offset < offset
          ? [item.bytes.subarray(Math.max(0, since - item.offset), offset - item.offset)]
          : [],
      )
      return Buffer.concat(all)
    },
    drop: (offset) => void cut(offset),
  }
}

/** Joins adjacent chunks that follow the same session event. */
function runs(items: Item[]): Item[] {
  const gathered: (Item & { parts?: Uint8Array[] })[] = []
  for (const item of items) {
    const last = gathered.at(-1)
    if ("bytes" in item && last && "bytes" in last && last.after === item.after) last.parts?.push(item.bytes)
    else gathered.push("bytes" in item ? { ...item, parts: [item.bytes] } : item)
  }
  return gathered.map(({ parts, ...item }) => (parts ? { ...item, bytes: Buffer.concat(parts) } : item))
}

function logged(item: Item): TerminalEvent[] {
  if (!("bytes" in item)) return [{ type: "terminal_resized", ...item }]
  const starts = Array.from({ length: Math.ceil(item.bytes.length / CHUNK_BYTES) }, (_, index) => index * CHUNK_BYTES)
  return starts.map((from) => ({
    type: "terminal_bytes",
    offset: item.offset + from,
    bytes: Buffer.from(item.bytes.subarray(from, from + CHUNK_BYTES)).toString("base64"),
    after: item.after,
  }))
}
