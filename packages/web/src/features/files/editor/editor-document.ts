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

/** One stretch of a text, and what comes in its place. */
export interface TextEdit {
  from: number
  to: number
  insert: string
}

/** What makes one text of another. */
export type TextDiff = (before: string, after: string) => TextEdit[]

/** Marks what didn't come from the one who types. */
const external = Annotation.define<boolean>()
const ending = new Compartment()

/** A text as an editor holds it, from which it comes back byte for byte. */
export function openDocument(text: string, extensions: Extension = []): EditorState {
  return EditorState.create({ doc: linesOf(text), extensions: [ending.of(endingFor(text)), extensions] })
}

/** The text, with its lines ended as they were. */
export function textOf(state: EditorState): string {
  return state.sliceDoc()
}

/** Puts another text in the place of the one that is there. What both have in common stays where it is, and so does the caret. */
export function replaceText(state: EditorState, text: string, differences: TextDiff): TransactionSpec {
  const after = linesOf(text)
  const replacements = differences(state.doc.toString(), after.toString())
  return {
    effects: ending.reconfigure(endingFor(text)),
    changes: replacements.map((one) => ({ ...one, insert: Text.of(one.insert.split("\n")) })),
    selection: caretAfter(state, after, replacements),
    annotations: [external.of(true), Transaction.addToHistory.of(!state.readOnly)],
  }
}

/** All that stands between what both begin with and what both end with, as one. */
export const coarseDiff: TextDiff = (before, after) => {
  const most = Math.min(before.length, after.length)
  let from = 0
  while (from < most && before[from] === after[from]) from++
  let end = 0
  while (end < most - from && before.at(-1 - end) === after.at(-1 - end)) end++
  if (from === before.length && from === after.length) return []
  return [{ from, to: before.length - end, insert: after.slice(from, after.length - end) }]
}

/** Whether somebody typed, pasted, or took something back. */
export function isEdit(transactions: readonly Transaction[]): boolean {
  return transactions.some(({ docChanged }) => docChanged) && !transactions.some((one) => one.annotation(external))
}

function linesOf(text: string): Text {
  return Text.of(text.split(lineEndingOf(text)))
}

/** Only said where a text has carriage returns: without, whatever is put in may end its lines as it likes. */
function endingFor(text: string): Extension {
  return text.includes("\r") ? EditorState.lineSeparator.of(lineEndingOf(text)) : []
}

/** A caret within what is replaced stays in its line and column, if they are still there. Else it moves by itself. */
function caretAfter({ doc, selection }: EditorState, after: Text, replacements: TextEdit[]) {
  const { head } = selection.main
  if (!replacements.some(({ from, to }) => from < head && head < to)) return undefined
  const line = doc.lineAt(head)
  const there = after.line(Math.min(line.number, after.lines))
  return { anchor: Math.min(there.from + head - line.from, there.to) }
}
