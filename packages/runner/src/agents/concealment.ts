import type { NewEvent } from "@switchyard/core/events"

/**
 * Blanks out the secrets that an agent itself can read, in all that is shown and stored of it. They may be spelled otherwise, and
 * then stay: this is against accidents.
 */
export interface Concealment {
  /** Blanks these, too, from now on. */
  add(secrets: string[]): void
  events(events: NewEvent[]): NewEvent[]
  /** Blanks them in a whole file, whose length stays the same. */
  file(bytes: Buffer): Buffer
  /** Blanks what passes, wherever the pieces are cut. */
  stream(): ConcealedStream
}

export interface ConcealedStream {
  /** Only what may be the beginning of a secret waits for the next piece. */
  take(bytes: Uint8Array): Uint8Array
  /** The rest, at the end of the stream. */
  flush(): Uint8Array
}

/** So much of a secret's beginning passes, lest a terminal waits for what is hardly typed. */
const PASSED = 3

/** `renewed`: what has become a secret since it was asked last, before anybody can have shown it. */
export function createConcealment(renewed: () => string[] = () => []): Concealment {
  const secrets = new Set<string>()
  function add(more: string[]): void {
    for (const secret of more) secrets.add(secret)
  }

  function conceal(text: string): string {
    let concealed = text
    for (const secret of secrets) {
      // One whose beginning has passed is as good as all of it.
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

  /** The place from which a text may be the beginning of a secret. */
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
      // Secrets are ASCII, and in this encoding each byte is a character.
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
