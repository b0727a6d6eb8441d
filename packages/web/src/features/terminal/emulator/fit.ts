import type { Terminal } from "@xterm/xterm"
import { type Box, fontFor, gridFor, type Size } from "./grid.ts"

/** The scroll bar is next to the last column. */
const SCROLL_BAR_PX = 14

/** Returns the size that fits into the element at this font size; null if nothing is drawn yet. */
export function fitSize(terminal: Terminal, element: HTMLElement, fontPx: number): Size | null {
  const cell = cellOf(terminal, fontPx)
  return cell && gridFor(roomIn(element), cell)
}

/** Returns the font size at which all columns are visible, at most `fontPx`. */
export function scaledFont(terminal: Terminal, element: HTMLElement, fontPx: number): number {
  const cell = cellOf(terminal, fontPx)
  return cell ? fontFor(roomIn(element), cell, terminal.cols, fontPx) : fontPx
}

/** Returns the size of a character at `fontPx`, derived from its current size on the screen. */
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
