import { defaultKeymap, history, historyKeymap } from "@codemirror/commands"
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
import { lazySearch } from "./lazy-search.ts"

export interface EditorLook {
  label: string
  readOnly: boolean
  wraps: boolean
  language: Extension
}

export interface CodeEditorHandle {
  /**
   * Shows a text. Parts that it shares with the present one stay in place, as do the caret and the scroll position; one that `follows`
   * goes on at its end, unless the reader scrolled up or selected something.
   */
  show(text: string, options?: { follows?: boolean }): void
  look(look: EditorLook): void
  focus(): void
  destroy(): void
}

/** The end counts as in sight up to here: about two lines. */
const NEAR_END_PX = 40

/** An editor for one file, byte for byte: line endings are preserved, and nothing is appended. */
export function createEditor(
  parent: HTMLElement,
  start: EditorLook & { text: string; follows: boolean },
  onEdit: (text: string) => void,
): CodeEditorHandle {
  const looks = new Compartment()
  let known = start.text
  let differences = coarseDiff
  // Loaded in the background once the file shows, since the first replacement comes later.
  import("./minimal-edits.ts").then(
    ({ minimalEdits }) => {
      differences = minimalEdits
    },
    () => undefined,
  )
  const listener = EditorView.updateListener.of(({ transactions, state }) => {
    if (!isEdit(transactions)) return
    known = textOf(state)
    onEdit(known)
  })
  const indent = indentUnit.of(indentOf(start.text))
  const state = openDocument(start.text, [looks.of(looksOf(start)), lazySearch(), basics, indent, listener])
  const end = EditorView.scrollIntoView(state.doc.length, { y: "end" })
  const view = new EditorView({ parent, state, scrollTo: start.follows ? end : undefined })

  const isPinned = pinnedToEnd(view.scrollDOM)

  return {
    show: (text, { follows = false } = {}) => {
      if (text === known) return
      const grows = text.startsWith(known)
      known = text
      const { scrollTop, scrollLeft } = view.scrollDOM
      view.dispatch(replaceText(view.state, text, grows ? coarseDiff : differences, !follows))
      if (follows && isPinned() && view.state.selection.main.empty) {
        view.dispatch({ effects: EditorView.scrollIntoView(view.state.doc.length, { y: "end" }) })
      } else view.scrollDOM.scrollTo(scrollLeft, scrollTop)
    },
    look: (look) => view.dispatch({ effects: looks.reconfigure(looksOf(look)) }),
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  }
}

/**
 * Whether a growing text is followed: until the reader scrolls up, and again from the end on. Being at the end can't be asked
 * for when the text grows, since the editor scrolls only when it paints.
 */
function pinnedToEnd(scroller: HTMLElement): () => boolean {
  let isPinned = true
  let lastTop = 0
  scroller.addEventListener("scroll", () => {
    const { scrollTop, scrollHeight, clientHeight } = scroller
    if (scrollTop + clientHeight >= scrollHeight - NEAR_END_PX) isPinned = true
    else if (scrollTop < lastTop) isPinned = false
    lastTop = scrollTop
  })
  return () => isPinned
}

function looksOf({ label, readOnly, wraps, language }: EditorLook): Extension {
  return [
    language,
    wraps ? EditorView.lineWrapping : [],
    EditorState.readOnly.of(readOnly),
    EditorView.contentAttributes.of({
      "aria-label": label,
      // An editable element is focusable anyway, but accessibility checkers don't all know that.
      tabindex: "0",
      // Tab moves the focus, as everywhere else; these two keys indent.
      "aria-description": "Control and ] indents, Control and [ does the opposite.",
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
  // Ctrl+Enter starts a run from anywhere.
  keymap.of([...defaultKeymap.filter(({ key }) => key !== "Mod-Enter"), ...historyKeymap]),
  codeTheme,
]

function indentOf(text: string): string {
  const indented = /^(\t| {2,})\S/m.exec(text)?.[1] ?? "  "
  if (indented.startsWith("\t")) return "\t"
  return indented.length % 4 === 0 ? "    " : "  "
}
