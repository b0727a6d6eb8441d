import { shortcuts } from "../features/command-palette/shortcuts.ts"

/** Maximum time until the second letter of a pair. */
const PAIR_MS = 1500

export interface Press {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  shiftKey: boolean
  /** In milliseconds, from any clock. */
  timeStamp: number
}

const idsByKeys = (single: boolean) =>
  new Map(shortcuts.filter((one) => !one.local && !!one.single === single).map(({ keys, id }) => [keys, id]))
const chords = idsByKeys(false)
/** Single letters and symbols, and pairs of letters. */
const letters = idsByKeys(true)

export interface Focus {
  /** True if letters are text input at the focused element, or letter shortcuts are turned off (WCAG 2.1.4). */
  takesLetters: boolean
  /** True if a control is focused, which the space bar activates. */
  isControl: boolean
}

/**
 * Creates a function that finds the command for each key press. It remembers the first letter of a pair, such as "g h".
 */
export function createShortcutMatcher(): (press: Press, focus: Focus) => string | undefined {
  let pairUntil = Number.NEGATIVE_INFINITY
  return (press, { takesLetters, isControl }) => {
    const chord = chords.get(chordOf(press))
    if (chord) return chord
    if (takesLetters || press.ctrlKey || press.metaKey || press.altKey) return undefined
    const key = letterOf(press)
    const inPair = press.timeStamp < pairUntil
    pairUntil = key === "g" && !inPair ? press.timeStamp + PAIR_MS : Number.NEGATIVE_INFINITY
    if (key === "space" && isControl) return undefined
    return letters.get(inPair ? `g ${key}` : key)
  }
}

function chordOf({ key, ctrlKey, metaKey, shiftKey }: Press): string {
  const modifier = ctrlKey || metaKey ? "mod+" : shiftKey ? "shift+" : ""
  return modifier + (key.length === 1 || key === "Enter" ? key.toLowerCase() : key)
}

function letterOf({ key }: Press): string {
  if (key === " ") return "space"
  return key.length === 1 ? key.toLowerCase() : key
}
