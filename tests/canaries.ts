import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"

/**
 * Finds leaks of the API keys that a test gives its server. The keys may appear only in the server's memory and,
 * encrypted, in its store.
 */
export interface Canaries {
  /** Records the API keys in a request's body or headers, or in a server's environment. */
  note(given: unknown): void
  /** Records the API keys in the raw bytes of a request. */
  noteSent(bytes: Buffer): void
  /** Returns a message for each recorded key in `text`. `where` names the text in the message. */
  findIn(where: string, text: Buffer | string): string[]
  /** Returns a message for each file under a folder that contains a recorded key, plain or encoded. */
  findUnder(folder: string): Promise<string[]>
}

/** Shorter keys occur in other words by chance. */
const SHORTEST = 16
const IS_KEY = /^(?:x-)?(?:[a-z]+_)?api[_-]key$/i
const SENT_KEY = /\b(?<name>(?:x-)?(?:[a-z]{1,20}_)?api[_-]key)"?:\s?"?(?<value>[^\s"]{16,500})/gi
/** A leaked part counts as a leak, and may start at any offset of an encoded text. */
const PART_CHARS = 12

export function createCanaries(): Canaries {
  const forms = new Map<string, Buffer[]>()

  function note(given: unknown): void {
    if (typeof given !== "object" || given === null) return
    for (const [name, value] of given instanceof Headers ? given : Object.entries(given)) {
      if (!IS_KEY.test(name) || typeof value !== "string") note(value)
      else if (value.trim().length >= SHORTEST) forms.set(value.trim(), formsOf(value.trim()))
    }
  }

  function findIn(where: string, text: Buffer | string): string[] {
    const bytes = Buffer.from(text as string)
    return [...forms].flatMap(([key, needles]) =>
      needles.some((needle) => bytes.includes(needle)) ? [`${key} stands in ${where}`] : [],
    )
  }

  return {
    note,
    noteSent(bytes) {
      for (const { groups = {} } of bytes.toString("latin1").matchAll(SENT_KEY))
        note({ [groups.name ?? ""]: groups.value })
    },
    findIn,
    async findUnder(folder) {
      if (forms.size === 0) return []
      const entries = await readdir(folder, { recursive: true, withFileTypes: true })
      const found: string[] = []
      for (const entry of entries.filter((one) => one.isFile())) {
        const file = join(entry.parentPath, entry.name)
        found.push(...findIn(file, await readFile(file).catch(() => "")))
      }
      return found
    },
  }
}

/** Returns the key as text, and in encodings that hide its text from a search. */
function formsOf(key: string): Buffer[] {
  const bytes = Buffer.from(key)
  const base64 = [0, 1, 2].map((skipped) => {
    const whole = bytes.subarray(skipped, skipped + Math.floor((bytes.length - skipped) / 3) * 3)
    return Buffer.from(whole.toString("base64"))
  })
  const part = key.slice(-Math.max(PART_CHARS, Math.floor(key.length / 2)))
  return [Buffer.from(part), Buffer.from(part, "utf16le"), Buffer.from(Buffer.from(part).toString("hex")), ...base64]
}
