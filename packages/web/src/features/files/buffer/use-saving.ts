import { MAX_EDITABLE_CHARS } from "@switchyard/core/files/workspaces/text"
import { useEffect, useRef } from "react"
import { useCommand } from "../../../session/context/commands.ts"
import type { OpenFile } from "./use-buffer.ts"
import { useTextLimit } from "./use-file-text.ts"

export interface Saving {
  state: "clean" | "unsaved" | "saving" | "saved" | "undecided" | "too_long" | "read_only"
  /** In words; null where there is nothing to say. */
  told: string | null
  /** Null: not now. */
  save: (() => void) | null
}

/** How the file stands with the server, and the ways to save it: the button, the palette, Ctrl or Cmd and S. */
export function useSaving(open: OpenFile, readOnly: string | null): Saving {
  const limit = useTextLimit(MAX_EDITABLE_CHARS)
  const saving = standing(open, readOnly, limit)
  useCommand("save", "Save the file", saving.save)

  const latest = useRef(saving.save)
  latest.current = saving.save
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      // Nobody who is in an editor means to save the page.
      event.preventDefault()
      latest.current?.()
    }
    document.addEventListener("keydown", pressed)
    return () => document.removeEventListener("keydown", pressed)
  }, [])
  return saving
}

function standing({ buffer, dirty, save }: OpenFile, readOnly: string | null, limit: number): Saving {
  if (readOnly !== null) return { state: "read_only", told: readOnly, save: null }
  if (!buffer) return { state: "clean", told: null, save: null }
  if (buffer.saving) return { state: "saving", told: "Saving", save: null }
  if (!dirty)
    return buffer.saved ? { state: "saved", told: "Saved", save: null } : { state: "clean", told: null, save: null }
  if (buffer.theirs !== null) return { state: "undecided", told: "Changed by the coder", save: null }
  const over = charsOver(buffer.text, limit)
  if (over > 0) return { state: "too_long", told: `${over.toLocaleString()} characters too long`, save: null }
  return { state: "unsaved", told: "Not saved", save }
}

/** By how many characters a text is too long. Most needn't be counted: a character is one or two units of a string. */
function charsOver(text: string, limit: number): number {
  if (text.length <= limit) return 0
  let count = 0
  for (const _ of text) count++
  return Math.max(0, count - limit)
}
