import { defaultKeymap, history, historyKeymap } from "@codemirror/commands"
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language"
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search"
import { Annotation, Compartment, EditorState, type Extension, Text, Transaction } from "@codemirror/state"
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
import { codeTheme } from "./code-theme.ts"
import { lineEndingOf, withEnding } from "./line-endings.ts"
import { type Replacement, replacementsFor } from "./replacement.ts"

export interface EditorLook {
  label: string
  readOnly: boolean
  wraps: boolean
  language: Extension
}

export interface CodeEditorHandle {
  /** Shows a text. What of it is there already stays where it is, and so do the caret and what is in view. */
  show(text: string): void
  look(look: EditorLook): void
  focus(): void
  destroy(): void
}

/** Marks what didn't come from the one who types. */
const external = Annotation.define<boolean>()

/** An editor of one file, byte for byte: line endings stay as they are, and nothing is added at the end. */
export function createEditor(
  parent: HTMLElement,
  start: EditorLook & { text: string },
  onEdit: (text: string) => void,
): CodeEditorHandle {
  const ending = new Compartment()
  const looks = new Compartment()
  let known = start.text
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: docOf(start.text),
      extensions: [
        ending.of(endingFor(start.text)),
        looks.of(looksOf(start)),
        basics,
        indentUnit.of(indentOf(start.text)),
        EditorView.updateListener.of(({ docChanged, transactions, state }) => {
          if (!docChanged || transactions.some((one) => one.annotation(external))) return
          known = state.sliceDoc()
          onEdit(known)
        }),
      ],
    }),
  })

  return {
    show: (text) => {
      if (text === known) return
      known = text
      const after = docOf(text)
      const replacements = replacementsFor(view.state.doc.toString(), after.toString())
      const { scrollTop, scrollLeft } = view.scrollDOM
      view.dispatch({
        effects: ending.reconfigure(endingFor(text)),
        changes: replacements.map((one) => ({ ...one, insert: Text.of(one.insert.split("\n")) })),
        selection: caretAfter(view.state, after, replacements),
        annotations: [external.of(true), Transaction.addToHistory.of(!view.state.readOnly)],
      })
      view.scrollDOM.scrollTo(scrollLeft, scrollTop)
    },
    look: (look) => view.dispatch({ effects: looks.reconfigure(looksOf(look)) }),
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  }
}

function looksOf({ label, readOnly, wraps, language }: EditorLook): Extension {
  return [
    language,
    wraps ? EditorView.lineWrapping : [],
    EditorState.readOnly.of(readOnly),
    EditorView.contentAttributes.of({
      "aria-label": label,
      // Tab moves on to what is next on the page, as everywhere else; these two keys indent.
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
  highlightSelectionMatches(),
  search({ top: false }),
  EditorView.clipboardInputFilter.of((text, state) => withEnding(text, state.lineBreak as "\n")),
  // Control and Enter starts a run, wherever one is.
  keymap.of([...defaultKeymap.filter(({ key }) => key !== "Mod-Enter"), ...historyKeymap, ...searchKeymap]),
  codeTheme,
]

function docOf(text: string): Text {
  return Text.of(text.split(lineEndingOf(text)))
}

/** Only said where a text has carriage returns: without, whatever is put in may end its lines as it likes. */
function endingFor(text: string): Extension {
  return text.includes("\r") ? EditorState.lineSeparator.of(lineEndingOf(text)) : []
}

/** A caret within what is replaced stays in its line and column, if they are still there. Else it moves by itself. */
function caretAfter({ doc, selection }: EditorState, after: Text, replacements: Replacement[]) {
  const { head } = selection.main
  if (!replacements.some(({ from, to }) => from < head && head < to)) return undefined
  const line = doc.lineAt(head)
  const there = after.line(Math.min(line.number, after.lines))
  return { anchor: Math.min(there.from + head - line.from, there.to) }
}

function indentOf(text: string): string {
  const indented = /^(\t| {2,})\S/m.exec(text)?.[1] ?? "  "
  if (indented.startsWith("\t")) return "\t"
  return indented.length % 4 === 0 ? "    " : "  "
}
