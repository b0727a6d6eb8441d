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
import { lazySearch } from "./lazy-search.ts"

export interface EditorLook {
  label: string
  readOnly: boolean
  wraps: boolean
  language: Extension
}

export interface CodeEditorHandle {
  /**
   * Shows a text. Parts that it shares with the present one stay in place, as do the caret and the scroll position. One that grows at the
   * place that `follows` names keeps that in sight, unless the reader scrolled away or selected something. Once it has
   * grown, its lines are shown from their beginning again.
   */
  show(text: string, options?: { follows?: number | undefined }): void
  look(look: EditorLook): void
  focus(): void
  destroy(): void
}

/** The end counts as in sight up to here: about two lines. */
const NEAR_END_PX = 40

/** An editor for one file, byte for byte: line endings are preserved, and nothing is appended. */
export function createEditor(
  parent: HTMLElement,
  start: EditorLook & { text: string; follows: number | undefined },
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
  const scrollTo = start.follows === undefined ? undefined : bringIntoSight(start.text, start.follows)
  const view = new EditorView({ parent, state, scrollTo })

  const isPinned = pinnedToEnd(view.scrollDOM)
  const attention = watchReader(view.scrollDOM)
  const isFollowed = (place: number) =>
    view.state.selection.main.empty && (place === known.length ? isPinned() : !attention.isElsewhere())
  let growsAt = start.follows

  function replace(text: string, follows: number | undefined) {
    const grows = text.startsWith(known)
    known = text
    const { scrollTop, scrollLeft } = view.scrollDOM
    const isGrowing = follows !== undefined
    view.dispatch(replaceText(view.state, text, grows || isGrowing ? coarseDiff : differences, !isGrowing))
    if (isGrowing && isFollowed(follows)) view.dispatch({ effects: bringIntoSight(text, follows) })
    else view.scrollDOM.scrollTo(scrollLeft, scrollTop)
  }

  return {
    show: (text, { follows } = {}) => {
      const hasGrown = follows === undefined && growsAt !== undefined && isFollowed(growsAt) ? growsAt : undefined
      growsAt = follows
      if (follows === undefined) attention.reset()
      if (text !== known) replace(text, follows)
      if (hasGrown !== undefined) view.dispatch({ effects: backToLineStart(view.state, hasGrown) })
    },
    look: (look) => view.dispatch({ effects: looks.reconfigure(looksOf(look)) }),
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  }
}

/**
 * Scrolls left, where the line that grew may have ended far to the right. As an effect, since the editor scrolls only when it
 * paints, and one that is waiting to be applied would win.
 */
function backToLineStart({ doc }: EditorState, place: number) {
  return EditorView.scrollIntoView(doc.lineAt(Math.min(place, doc.length)).from, { x: "end" })
}

/** Scrolls to the end of a text, or to a place within it that isn't in sight. */
function bringIntoSight(text: string, place: number) {
  // In the editor's document, every line end is one character.
  const position = text.slice(0, place).replaceAll("\r\n", "\n").length
  const at = place === text.length ? ({ y: "end" } as const) : ({ y: "nearest", yMargin: 60 } as const)
  return EditorView.scrollIntoView(position, at)
}

/** Whether the reader has turned to a place of their own since the text began to grow. */
function watchReader(scroller: HTMLElement) {
  let isElsewhere = false
  for (const type of ["wheel", "touchmove", "keydown", "pointerdown"]) {
    scroller.addEventListener(type, () => (isElsewhere = true), { passive: true })
  }
  return {
    isElsewhere: () => isElsewhere,
    reset: () => {
      isElsewhere = false
    },
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
      "aria-description": "Tab indents. Press Escape, then Tab, to leave the editor.",
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
  // Escape lets the next Tab move the focus, so no keyboard is trapped (WCAG 2.1.2).
  keymap.of([...defaultKeymap.filter(({ key }) => key !== "Mod-Enter"), ...historyKeymap, indentWithTab]),
  codeTheme,
]

function indentOf(text: string): string {
  const indented = /^(\t| {2,})\S/m.exec(text)?.[1] ?? "  "
  if (indented.startsWith("\t")) return "\t"
  return indented.length % 4 === 0 ? "    " : "  "
}
