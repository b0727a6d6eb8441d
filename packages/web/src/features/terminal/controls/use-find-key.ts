import { useDocumentKeys } from "../../../ui/document-keys.ts"
import { isFindChord } from "./keys.ts"

/** Calls back on the find shortcut, wherever the focus is, unless a dialog is open. */
export function useFindKey(find: (event: KeyboardEvent) => void): void {
  useDocumentKeys((event) => {
    if (event.defaultPrevented || !isFindChord(event) || document.querySelector("dialog[open]")) return
    find(event)
  })
}
