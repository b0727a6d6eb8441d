import type { NewEvent } from "@switchyard/core/events"

/** Blanks out secrets that an agent can read, in all of its output. Other spellings stay: it is against accidents. */
export interface Concealment {
  /** Adds secrets to blank from now on. */
  add(secrets: string[]): void
  events(events: NewEvent[]): NewEvent[]
  /** Blanks secrets in a whole file, whose length stays the same. */
  file(bytes: Buffer): Buffer
  /** Blanks secrets in a stream, even across its pieces. */
  stream(): ConcealedStream
}

export interface ConcealedStream {
  /** Returns what can be shown. Holds back only what may be the beginning of a secret. */
  take(bytes: Uint8Array): Uint8Array
  /** Returns the rest, at the end of the stream. */
  flush(): Uint8Array
}

/** Leading characters of a secret that always pass, so that a terminal seldom waits for the next piece. */
const PASSED = 3

/** `renewed` returns secrets that are new since its last call, before any output can contain them. */
export function createConcealment(renewed: () => string[] = () => []): Concealment {
  const secrets = new Set<string>()
  function add(more: string[]): void {
    for (const secret of more) secrets.add(secret)
  }

  function conceal(text: string): string {
    let concealed = text
    for (const secret of secrets) {
      // The first characters have passed already, so the rest is matched alone.
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

  /** Returns the index from which a text may be the beginning of a secret. */
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
      // Secrets are ASCII. In this encoding, each byte is a character.
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
