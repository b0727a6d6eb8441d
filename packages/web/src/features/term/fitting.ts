import type { Terminal } from "@xterm/xterm"

const LEAST = { rows: 5, cols: 20 }
const MOST = { rows: 200, cols: 400 }

/** How many rows and columns of the terminal's type fit into the element; null while nothing is drawn. */
export function fitting(terminal: Terminal, element: HTMLElement): { rows: number; cols: number } | null {
  const screen = terminal.element?.querySelector<HTMLElement>(".xterm-screen")
  if (!screen || screen.offsetWidth === 0) return null
  const cell = { width: screen.offsetWidth / terminal.cols, height: screen.offsetHeight / terminal.rows }
  const style = getComputedStyle(element)
  const padding = Number.parseFloat(style.paddingLeft) * 2
  return {
    rows: within(Math.floor((element.clientHeight - padding) / cell.height), LEAST.rows, MOST.rows),
    // The scroll bar of the terminal stands beside its last column.
    cols: within(Math.floor((element.clientWidth - padding - 14) / cell.width), LEAST.cols, MOST.cols),
  }
}

function within(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}
