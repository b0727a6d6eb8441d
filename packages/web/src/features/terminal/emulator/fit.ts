import type { Terminal } from "@xterm/xterm"
import { type Box, fontFor, gridFor, type Size } from "./grid.ts"

/** The scroll bar is next to the last column. */
const SCROLL_BAR_PX = 14

/** The size that fits into the element at this font size; null while nothing is drawn. */
export function fitSize(terminal: Terminal, element: HTMLElement, fontPx: number): Size | null {
  const cell = cellOf(terminal, fontPx)
  return cell && gridFor(roomIn(element), cell)
}

/** The font size at which all columns are in sight, and no larger than `fontPx`. */
export function scaledFont(terminal: Terminal, element: HTMLElement, fontPx: number): number {
  const cell = cellOf(terminal, fontPx)
  return cell ? fontFor(roomIn(element), cell, terminal.cols, fontPx) : fontPx
}

/** The size of a character at `fontPx`, derived from its size on the screen now. */
function cellOf(terminal: Terminal, fontPx: number): Box | null {
  const screen = terminal.element?.querySelector<HTMLElement>(".xterm-screen")
  if (!screen || screen.offsetWidth === 0) return null
  const scale = fontPx / (terminal.options.fontSize ?? fontPx)
  return {
    width: (screen.offsetWidth / terminal.cols) * scale,
    height: (screen.offsetHeight / terminal.rows) * scale,
  }
}

function roomIn(element: HTMLElement): Box {
  const { paddingLeft, paddingRight, paddingTop, paddingBottom } = getComputedStyle(element)
  return {
    width: element.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight) - SCROLL_BAR_PX,
    height: element.clientHeight - Number.parseFloat(paddingTop) - Number.parseFloat(paddingBottom),
  }
}
