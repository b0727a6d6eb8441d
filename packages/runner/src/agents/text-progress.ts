/**
 * Whether what a model says gets anywhere. A program whose model hangs asks it again, for hours if need be, and each try
 * says the same beginning: that is no sign of life.
 */
export interface TextProgress {
  /** More text, in pieces as it comes. Returns whether it gets further than every try before it. */
  said(text: string): boolean
  /** The model was asked again: what follows is the next try. */
  begunAgain(): void
  /** Something came of what was said. */
  done(): void
}

/** So much of the beginning, said once more, is another try. */
const RECOGNISED_CHARS = 12

export function createTextProgress(): TextProgress {
  /** This try, and how far the longest before it got. */
  let current = ""
  let furthest = 0
  /** The end of what was said, as far as it is the beginning once more. */
  let repeated = ""

  function begunAgain(): void {
    furthest = Math.max(furthest, current.length)
    current = ""
    repeated = ""
  }

  return {
    said(text) {
      // A try may follow words that stay, so it needn't begin where they do.
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
