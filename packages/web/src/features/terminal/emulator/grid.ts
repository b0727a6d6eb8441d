export interface Size {
  rows: number
  cols: number
}

/** Size in pixels, of an element's content or a single character. */
export interface Box {
  width: number
  height: number
}

const MIN = { rows: 5, cols: 20 }
const MAX = { rows: 200, cols: 400 }
/** Smaller type is unreadable on a desktop, so the terminal scrolls instead. On phones it can be zoomed. */
const MIN_FONT_PX = 4

/** Returns the rows and columns of characters of this size that fit into the room. */
export function gridFor(room: Box, cell: Box): Size {
  return {
    rows: clamp(Math.floor(room.height / cell.height), MIN.rows, MAX.rows),
    cols: clamp(Math.floor(room.width / cell.width), MIN.cols, MAX.cols),
  }
}

/**
 * Returns the font size at which all columns are visible, at most `fontPx`. `cell` is the size of a character at
 * `fontPx`.
 */
export function fontFor(room: Box, cell: Box, cols: number, fontPx: number): number {
  const share = room.width / (cell.width * cols)
  return share >= 1 ? fontPx : Math.max(MIN_FONT_PX, Math.floor(fontPx * share * 10) / 10)
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value))
}
