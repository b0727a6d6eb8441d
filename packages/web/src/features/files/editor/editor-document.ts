import {
  Annotation,
  Compartment,
  EditorState,
  type Extension,
  Text,
  Transaction,
  type TransactionSpec,
} from "@codemirror/state"
import { lineEndingOf } from "../buffer/line-endings.ts"

/** Replacement of a range in a text. */
export interface TextEdit {
  from: number
  to: number
  insert: string
}

/** Computes the edits that turn one text into another. */
export type TextDiff = (before: string, after: string) => TextEdit[]

/** Marks changes that weren't made by the user. */
const external = Annotation.define<boolean>()
const ending = new Compartment()

/** Creates an editor state from which the text can be read back byte for byte. */
export function openDocument(text: string, extensions: Extension = []): EditorState {
  return EditorState.create({ doc: linesOf(text), extensions: [ending.of(endingFor(text)), extensions] })
}

/** Returns the text with its original line endings. */
export function textOf(state: EditorState): string {
  return state.sliceDoc()
}

/** Replaces the text. Parts that both texts share stay in place, and so does the caret. */
export function replaceText(
  state: EditorState,
  text: string,
  differences: TextDiff,
  isUndoable = true,
): TransactionSpec {
  const after = linesOf(text)
  const replacements = differences(state.doc.toString(), after.toString())
  return {
    effects: ending.reconfigure(endingFor(text)),
    changes: replacements.map((one) => ({ ...one, insert: Text.of(one.insert.split("\n")) })),
    selection: caretAfter(state, after, replacements),
    annotations: [external.of(true), Transaction.addToHistory.of(isUndoable && !state.readOnly)],
  }
}

/** Replaces everything between the common prefix and the common suffix. */
export const coarseDiff: TextDiff = (before, after) => {
  const most = Math.min(before.length, after.length)
  let from = 0
  while (from < most && before[from] === after[from]) from++
  let end = 0
  while (end < most - from && before.at(-1 - end) === after.at(-1 - end)) end++
  if (from === before.length && from === after.length) return []
  return [{ from, to: before.length - end, insert: after.slice(from, after.length - end) }]
}

/** Returns true if the user typed, pasted or undid something. */
export function isEdit(transactions: readonly Transaction[]): boolean {
  return transactions.some(({ docChanged }) => docChanged) && !transactions.some((one) => one.annotation(external))
}

function linesOf(text: string): Text {
  return Text.of(text.split(lineEndingOf(text)))
}

/** Set only if the text has carriage returns. Otherwise, pasted text may keep its own line endings. */
function endingFor(text: string): Extension {
  return text.includes("\r") ? EditorState.lineSeparator.of(lineEndingOf(text)) : []
}

/**
 * If the caret is inside a replaced range, keeps its line and column if they still exist. In other cases, the editor
 * moves it.
 */
function caretAfter({ doc, selection }: EditorState, after: Text, replacements: TextEdit[]) {
  const { head } = selection.main
  if (!replacements.some(({ from, to }) => from < head && head < to)) return undefined
  const line = doc.lineAt(head)
  const there = after.line(Math.min(line.number, after.lines))
  return { anchor: Math.min(there.from + head - line.from, there.to) }
}
