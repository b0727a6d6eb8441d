import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search"
import { type Extension, Prec } from "@codemirror/state"
import { type EditorView, keymap } from "@codemirror/view"

/** Search in a text, its shortcuts, and highlighting of text like the selection. */
export const extension: Extension = [
  highlightSelectionMatches(),
  search({ top: false }),
  Prec.high(keymap.of(searchKeymap)),
]

/** Runs the command of a search shortcut. */
export function press(view: EditorView, key: string): void {
  searchKeymap.find((binding) => binding.key === key)?.run?.(view)
}
