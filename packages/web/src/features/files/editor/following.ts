import type { EditorState } from "@codemirror/state"
import { EditorView } from "@codemirror/view"

/** The end counts as visible up to this distance, which is about two lines. */
const NEAR_END_PX = 40

/** Tracks where the reader of a growing text is, to decide whether to keep its end in view. */
export function watchReader(scroller: HTMLElement) {
  const reader = {
    /** True if the end is being followed: until the reader scrolls up, and again once they reach the end. */
    isAtEnd: true,
    /** True if the reader has gone to another place since the text began to grow. */
    isElsewhere: false,
  }
  for (const type of ["wheel", "touchmove", "keydown", "pointerdown"]) {
    scroller.addEventListener(type, () => (reader.isElsewhere = true), { passive: true })
  }
  let lastTop = 0
  // Tracked continuously. It can't be checked when the text grows, because the editor scrolls only when it paints.
  scroller.addEventListener("scroll", () => {
    const { scrollTop, scrollHeight, clientHeight } = scroller
    if (scrollTop + clientHeight >= scrollHeight - NEAR_END_PX) reader.isAtEnd = true
    else if (scrollTop < lastTop) reader.isAtEnd = false
    lastTop = scrollTop
  })
  return reader
}

/**
 * Scrolls left, because the line that grew may have ended far to the right. This is an editor effect, because the
 * editor scrolls only when it paints, and a pending scroll would win.
 */
export function backToLineStart({ doc }: EditorState, place: number) {
  return EditorView.scrollIntoView(doc.lineAt(Math.min(place, doc.length)).from, { x: "end" })
}

/** Scrolls to the end of a text, or to an offset in it that isn't visible. */
export function bringIntoSight(text: string, place: number) {
  // In the editor's document, every line ending is one character.
  const position = text.slice(0, place).replaceAll("\r\n", "\n").length
  const at = place === text.length ? ({ y: "end" } as const) : ({ y: "nearest", yMargin: 60 } as const)
  return EditorView.scrollIntoView(position, at)
}
