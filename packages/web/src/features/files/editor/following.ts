import type { EditorState } from "@codemirror/state"
import { EditorView } from "@codemirror/view"

/** The end counts as in sight up to here: about two lines. */
const NEAR_END_PX = 40

/** Watches where the reader of a growing text is, to tell whether its growth is to be kept in sight. */
export function watchReader(scroller: HTMLElement) {
  const reader = {
    /** Whether the end is followed: until the reader scrolls up, and again from the end on. */
    isAtEnd: true,
    /** Whether the reader has turned to a place of their own since the text began to grow. */
    isElsewhere: false,
  }
  for (const type of ["wheel", "touchmove", "keydown", "pointerdown"]) {
    scroller.addEventListener(type, () => (reader.isElsewhere = true), { passive: true })
  }
  let lastTop = 0
  // Being at the end can't be asked for when the text grows, since the editor scrolls only when it paints.
  scroller.addEventListener("scroll", () => {
    const { scrollTop, scrollHeight, clientHeight } = scroller
    if (scrollTop + clientHeight >= scrollHeight - NEAR_END_PX) reader.isAtEnd = true
    else if (scrollTop < lastTop) reader.isAtEnd = false
    lastTop = scrollTop
  })
  return reader
}

/**
 * Scrolls left, where the line that grew may have ended far to the right. As an effect, since the editor scrolls only when it
 * paints, and one that is waiting to be applied would win.
 */
export function backToLineStart({ doc }: EditorState, place: number) {
  return EditorView.scrollIntoView(doc.lineAt(Math.min(place, doc.length)).from, { x: "end" })
}

/** Scrolls to the end of a text, or to a place within it that isn't in sight. */
export function bringIntoSight(text: string, place: number) {
  // In the editor's document, every line end is one character.
  const position = text.slice(0, place).replaceAll("\r\n", "\n").length
  const at = place === text.length ? ({ y: "end" } as const) : ({ y: "nearest", yMargin: 60 } as const)
  return EditorView.scrollIntoView(position, at)
}
