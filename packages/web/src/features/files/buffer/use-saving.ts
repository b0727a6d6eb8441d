import { MAX_EDITABLE_CHARS } from "@switchyard/core/files/workspaces/text"
import { useCommand } from "../../../session/context/commands.ts"
import { writerOf } from "../../../session/stream/view.ts"
import { useSessionData } from "../../../session/view/use-session.ts"
import { useDocumentKeys } from "../../../ui/document-keys.ts"
import { type SaveStatus, saveStatus } from "./save-status.ts"
import type { OpenFile } from "./use-buffer.ts"
import { useTextLimit } from "./use-file-text.ts"

export interface Saving extends SaveStatus {
  /** Null while the file can't be saved. */
  save: (() => void) | null
}

/** Returns a file's save status, and enables the ways to save it: the button, the palette, and Ctrl+S or Cmd+S. */
export function useSaving(path: string, open: OpenFile, readOnly: string | null): Saving {
  const limit = useTextLimit(MAX_EDITABLE_CHARS)
  const writer = useSessionData(({ live }) => writerOf(live, path))
  const status = saveStatus(open.buffer, { readOnly, limit, writer })
  const saving = { ...status, save: status.state === "unsaved" ? open.save : null }
  useCommand("save", "Save file", saving.save)
  useDocumentKeys((event) => {
    if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
    // In an editor, Ctrl+S never means saving the page.
    event.preventDefault()
    saving.save?.()
  })
  return saving
}
