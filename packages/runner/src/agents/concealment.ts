import type { NewEvent } from "@switchyard/core/events"

/**
 * Masks the secrets known to an agent wherever the agent's output contains them. Masking only prevents accidents:
 * encoded secrets aren't recognised.
 */
export interface Concealment {
  /** Adds secrets to mask from now on. */
  add(secrets: string[]): void
  events(events: NewEvent[]): NewEvent[]
  /** Masks secrets in a whole file without changing its length. */
  file(bytes: Buffer): Buffer
  /** Masks secrets in a stream, even across chunks. */
  stream(): ConcealedStream
}

export interface ConcealedStream {
  /** Returns the bytes that can be shown now. Holds back only bytes that may be the start of a secret. */
  take(bytes: Uint8Array): Uint8Array
  /** Returns the remaining bytes at the end of the stream. */
  flush(): Uint8Array
}

/**
 * Number of characters at the start of a secret that are always shown. Otherwise, output that happens to end with a
 * secret's first character would be held back until the next chunk.
 */
const PASSED = 3

/**
 * Creates the masking. `renewed` returns the secrets that were added since its last call. It must return a secret
 * before any output can contain it.
 */
export function createConcealment(renewed: () => string[] = () => []): Concealment {
  const secrets = new Set<string>()
  function add(more: string[]): void {
    for (const secret of more) secrets.add(secret)
  }

  function conceal(text: string): string {
    let concealed = text
    for (const secret of secrets) {
      // The secret's first characters may already have been shown, so look only for the rest.
      concealed = concealed.replaceAll(secret.slice(PASSED), (found) => "*".repeat(found.length))
    }
    return concealed
  }

  function concealIn(value: unknown): unknown {
    if (typeof value === "string") return conceal(value)
    if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value
    if (Array.isArray(value)) return value.map(concealIn)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, concealIn(one)]))
  }

  /** Returns the index at which a possible secret begins, or the text's length if there is none. */
  function heldFrom(text: string): number {
    let from = text.length
    for (const secret of secrets) {
      const first = secret.slice(0, PASSED + 1)
      let at = text.indexOf(first, Math.max(0, text.length - secret.length))
      while (at >= 0 && at < from && !secret.startsWith(text.slice(at))) at = text.indexOf(first, at + 1)
      if (at >= 0) from = Math.min(from, at)
    }
    return from
  }

  return {
    add,
    events(events) {
      add(renewed())
      return concealIn(events) as NewEvent[]
    },
    file(bytes) {
      add(renewed())
      return Buffer.from(conceal(bytes.toString("latin1")), "latin1")
    },
    stream() {
      // Decode as latin1, so that each byte becomes one character. Secrets consist of ASCII, so they still match.
      let held = ""
      let passed = ""
      return {
        take(bytes) {
          add(renewed())
          const text = conceal(held + Buffer.from(bytes).toString("latin1"))
          const end = Math.max(0, heldFrom(passed + text) - passed.length)
          held = text.slice(end)
          const shown = text.slice(0, end)
          passed = (passed + shown).slice(-PASSED)
          return Buffer.from(shown, "latin1")
        },
        flush() {
          const rest = Buffer.from(held, "latin1")
          held = ""
          return rest
        },
      }
    },
  }
}
