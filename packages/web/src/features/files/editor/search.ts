import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search"
import { type Extension, Prec } from "@codemirror/state"
import { type EditorView, keymap } from "@codemirror/view"
import { createSearchPanel } from "./search-panel.ts"

/** Search in a text, its shortcuts, and highlighting of text that matches the selection. */
export const extension: Extension = [
  highlightSelectionMatches(),
  search({ createPanel: createSearchPanel }),
  Prec.high(keymap.of(searchKeymap)),
]

/** Runs the command of a search shortcut. */
export function press(view: EditorView, key: string): void {
  searchKeymap.find((binding) => binding.key === key)?.run?.(view)
}
