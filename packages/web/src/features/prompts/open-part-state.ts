import { withinLimit } from "./prompt-text.ts"

/** Feedback below the field. `undo` contains the text to restore, if there is one. */
export interface Feedback {
  text: string
  bad: boolean
  undo?: string
}

export interface Edit {
  text: string
  /** Text to store; null to restore the default. */
  stored: string | null
  /** Caret position after a cut, because the browser would move the caret to the end. */
  caret: number | null
  isCut: boolean
}

/** Returns an edit of the field, cut to the limit. A text equal to the default isn't stored. */
export function editOf(before: string, after: string, { standard, limit }: { standard: string; limit: number }): Edit {
  const { text, cut, end } = withinLimit(before, after, limit)
  return { text, stored: text === standard ? null : text, caret: cut > 0 ? end : null, isCut: cut > 0 }
}

/** Returns the feedback on an edit that the browser has stored or had no room for. */
export function feedbackOn({ text, isCut }: Edit, { limit, saved }: { limit: number; saved: boolean }): Feedback {
  if (!saved) return { text: "Couldn't save: your browser's storage is full", bad: true }
  if (isCut) return { text: `Truncated to ${limit.toLocaleString()} characters`, bad: true }
  return { text: text.trim() === "" ? "This field is empty, so the default applies" : "Saved", bad: false }
}
