/** Detects progress in a model's text. If a model hangs, retries repeat the same beginning, which is no progress. */
export interface TextProgress {
  /** Adds a piece of text. Returns true if this try is longer than all before it. */
  said(text: string): boolean
  /** Starts the next try. */
  begunAgain(): void
  /** Forgets all tries, because the model got further. */
  done(): void
}

/** Minimum length of a repeated beginning to count as another try. */
const RECOGNISED_CHARS = 12

export function createTextProgress(): TextProgress {
  /** Text of this try, and length of the longest try before it. */
  let current = ""
  let furthest = 0
  /** End of the text, as far as it repeats the beginning. */
  let repeated = ""

  function begunAgain(): void {
    furthest = Math.max(furthest, current.length)
    current = ""
    repeated = ""
  }

  return {
    said(text) {
      // A try may follow text that stays, so it may repeat any part of it.
      if (text.length >= RECOGNISED_CHARS && current.includes(text)) return false
      const longer = [repeated + text, text].find((each) => current.startsWith(each)) ?? ""
      if (longer !== "" && longer.length >= Math.min(RECOGNISED_CHARS, current.length)) begunAgain()
      else repeated = longer
      current = longer !== "" && current === "" ? longer : current + text
      return current.length > furthest && repeated === ""
    },
    begunAgain,
    done() {
      current = ""
      furthest = 0
      repeated = ""
    },
  }
}
