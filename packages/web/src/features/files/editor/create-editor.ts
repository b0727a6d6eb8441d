import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands"
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language"
import { Compartment, EditorState, type Extension } from "@codemirror/state"
import {
  crosshairCursor,
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
} from "@codemirror/view"
import { withEnding } from "../buffer/line-endings.ts"
import { codeTheme } from "./code-theme.ts"
import { coarseDiff, isEdit, openDocument, replaceText, textOf } from "./editor-document.ts"
import { backToLineStart, bringIntoSight, watchReader } from "./following.ts"
import { lazySearch } from "./lazy-search.ts"

export interface EditorOptions {
  label: string
  readOnly: boolean
  wraps: boolean
  language: Extension
}

/** Loaded in the background once a file is shown, because the first replacement comes later. */
let differences = coarseDiff
function loadDifferences(): void {
  import("./minimal-edits.ts").then(
    ({ minimalEdits }) => {
      differences = minimalEdits
    },
    () => undefined,
  )
}

/** Creates an editor for one file that preserves it byte for byte: line endings are kept, and nothing is appended. */
export function createEditor(
  parent: HTMLElement,
  { text, follows, ...initial }: EditorOptions & { text: string; follows: number | undefined },
  onEdit: (text: string) => void,
) {
  loadDifferences()
  /** The text shown, and the offset at which it is growing, if it is. */
  const shown = { text, growsAt: follows }
  const options = new Compartment()
  const listener = EditorView.updateListener.of(({ transactions, state }) => {
    if (!isEdit(transactions)) return
    shown.text = textOf(state)
    onEdit(shown.text)
  })
  const indent = indentUnit.of(indentOf(text))
  const state = openDocument(text, [options.of(optionsExtension(initial)), lazySearch(), basics, indent, listener])
  const scrollTo = follows === undefined ? undefined : bringIntoSight(text, follows)
  const view = new EditorView({ parent, state, scrollTo })
  const reader = watchReader(view.scrollDOM)

  function isFollowed(place: number): boolean {
    if (!view.state.selection.main.empty) return false
    return place === shown.text.length ? reader.isAtEnd : !reader.isElsewhere
  }

  function replace(next: string, follows: number | undefined): void {
    const isGrowing = follows !== undefined
    const edits = isGrowing || next.startsWith(shown.text) ? coarseDiff : differences
    shown.text = next
    const { scrollTop, scrollLeft } = view.scrollDOM
    view.dispatch(replaceText(view.state, next, edits, !isGrowing))
    if (isGrowing && isFollowed(follows)) view.dispatch({ effects: bringIntoSight(next, follows) })
    else view.scrollDOM.scrollTo(scrollLeft, scrollTop)
  }

  return {
    /**
     * Shows a text. Parts shared with the current text stay in place, as do the caret and the scroll position. If
     * `follows` is set, keeps that offset in view, unless the reader scrolled away or selected something. When the text
     * stops growing, scrolls back to the start of its lines.
     */
    show(next: string, follows?: number): void {
      const { growsAt } = shown
      const hasGrown = follows === undefined && growsAt !== undefined && isFollowed(growsAt)
      shown.growsAt = follows
      if (follows === undefined) reader.isElsewhere = false
      if (next !== shown.text) replace(next, follows)
      if (hasGrown) view.dispatch({ effects: backToLineStart(view.state, growsAt) })
    },
    configure: (changed: EditorOptions) => view.dispatch({ effects: options.reconfigure(optionsExtension(changed)) }),
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  }
}

function optionsExtension({ label, readOnly, wraps, language }: EditorOptions): Extension {
  return [
    language,
    wraps ? EditorView.lineWrapping : [],
    EditorState.readOnly.of(readOnly),
    EditorView.contentAttributes.of({
      "aria-label": label,
      // An editable element is focusable anyway, but not all accessibility checkers know that.
      tabindex: "0",
      "aria-description": "Press Tab to indent. To leave the editor, press Escape, then Tab.",
      ...(readOnly ? { "aria-readonly": "true", inputmode: "none" } : {}),
    }),
  ]
}

const basics: Extension = [
  lineNumbers(),
  highlightActiveLineGutter(),
  highlightSpecialChars(),
  history(),
  drawSelection(),
  dropCursor(),
  EditorState.allowMultipleSelections.of(true),
  indentOnInput(),
  bracketMatching(),
  rectangularSelection(),
  crosshairCursor(),
  highlightActiveLine(),
  EditorView.clipboardInputFilter.of((text, state) => withEnding(text, state.lineBreak as "\n")),
  // Ctrl+Enter starts a run from anywhere. After Escape, the next Tab moves the focus, so the keyboard is never trapped
  // (WCAG 2.1.2).
  keymap.of([...defaultKeymap.filter(({ key }) => key !== "Mod-Enter"), ...historyKeymap, indentWithTab]),
  codeTheme,
]

function indentOf(text: string): string {
  const indented = /^(\t| {2,})\S/m.exec(text)?.[1] ?? "  "
  if (indented.startsWith("\t")) return "\t"
  return indented.length % 4 === 0 ? "    " : "  "
}
