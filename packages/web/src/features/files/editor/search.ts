import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search"
import { type Extension, Prec } from "@codemirror/state"
import { type EditorView, keymap } from "@codemirror/view"

/** Search within a text, its keys, and what is like the selection. */
export const extension: Extension = [
  highlightSelectionMatches(),
  search({ top: false }),
  Prec.high(keymap.of(searchKeymap)),
]

/** Does what one of the keys does. */
export function press(view: EditorView, key: string): void {
  searchKeymap.find((binding) => binding.key === key)?.run?.(view)
}
