import type { Terminal } from "@xterm/xterm"

const LEAST = { rows: 5, cols: 20 }
const MOST = { rows: 200, cols: 400 }
/** The scroll bar of a terminal stands beside its last column. */
const BAR_PX = 14
/** Smaller than this, nobody reads it on a desk: then it is scrolled. On a phone it can be drawn larger. */
const LEAST_PX = 4

export interface Size {
  rows: number
  cols: number
}

/** How many rows and columns of type of this size fit into the element; null while nothing is drawn. */
export function fitSize(terminal: Terminal, element: HTMLElement, fontPx: number): Size | null {
  const cell = cellOf(terminal, fontPx)
  if (!cell) return null
  const room = roomIn(element)
  return {
    rows: within(Math.floor(room.height / cell.height), LEAST.rows, MOST.rows),
    cols: within(Math.floor(room.width / cell.width), LEAST.cols, MOST.cols),
  }
}

/** The size of type at which all columns are in sight, and no larger than was asked for. */
export function scaledFont(terminal: Terminal, element: HTMLElement, fontPx: number): number {
  const cell = cellOf(terminal, fontPx)
  if (!cell) return fontPx
  const share = roomIn(element).width / (cell.width * terminal.cols)
  return share >= 1 ? fontPx : Math.max(LEAST_PX, Math.floor(fontPx * share * 10) / 10)
}

function cellOf(terminal: Terminal, fontPx: number) {
  const screen = terminal.element?.querySelector<HTMLElement>(".xterm-screen")
  if (!screen || screen.offsetWidth === 0) return null
  const scale = fontPx / (terminal.options.fontSize ?? fontPx)
  return {
    width: (screen.offsetWidth / terminal.cols) * scale,
    height: (screen.offsetHeight / terminal.rows) * scale,
  }
}

function roomIn(element: HTMLElement) {
  const { paddingLeft, paddingRight, paddingTop, paddingBottom } = getComputedStyle(element)
  return {
    width: element.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight) - BAR_PX,
    height: element.clientHeight - Number.parseFloat(paddingTop) - Number.parseFloat(paddingBottom),
  }
}

function within(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}
