/**
 * Detects progress in a model's output. If a hanging model is retried, it repeats the same beginning, which isn't
 * progress.
 */
export interface TextProgress {
  /** Adds a piece of text. Returns true if this attempt has now produced more text than any previous attempt. */
  said(text: string): boolean
  /** Starts the next attempt. */
  begunAgain(): void
  /** Forgets all attempts. Called when the model has made progress. */
  done(): void
}

/** Number of characters from the beginning that must appear again to count as a new attempt. */
const RECOGNISED_CHARS = 12

export function createTextProgress(): TextProgress {
  /** Text of this attempt. `furthest` is the length of the longest attempt so far. */
  let current = ""
  let furthest = 0
  /**
   * End of the current text that matches the beginning of the text. If it isn't empty, the model may be starting over.
   */
  let repeated = ""

  function begunAgain(): void {
    furthest = Math.max(furthest, current.length)
    current = ""
    repeated = ""
  }

  return {
    said(text) {
      // An attempt may follow text that the program kept, and may repeat any part of that text.
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
