/**
 * Detects whether a model's text makes progress. A program whose model hangs retries, for hours if need be, and each try
 * produces the same beginning: that is no sign of life.
 */
export interface TextProgress {
  /** Adds a piece of text. Returns whether the current try is further than all before it. */
  said(text: string): boolean
  /** Starts the next try. */
  begunAgain(): void
  /** Forgets all tries: the model has got further. */
  done(): void
}

/** Length of a repeated beginning from which it counts as another try. */
const RECOGNISED_CHARS = 12

export function createTextProgress(): TextProgress {
  /** The text of this try, and the length of the longest one before it. */
  let current = ""
  let furthest = 0
  /** The end of the text, as far as it repeats the beginning. */
  let repeated = ""

  function begunAgain(): void {
    furthest = Math.max(furthest, current.length)
    current = ""
    repeated = ""
  }

  return {
    said(text) {
      // A try may follow text that stays, so it may start anywhere in it.
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
