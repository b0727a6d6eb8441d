/** A narrower column would be hard to read. */
const COLUMN_PX = 380
const MOST = 3

/** Returns how many columns fit into a width. */
export function columnsIn(width: number): number {
  return Math.min(MOST, Math.max(1, Math.floor(width / COLUMN_PX)))
}

/** Returns the first agent with a column, so that the selected one has one and as few others as possible change. */
export function firstColumn({
  before,
  at,
  columns,
  count,
}: {
  before: number
  at: number
  columns: number
  count: number
}): number {
  const needed = Math.min(Math.max(before, at - columns + 1), at)
  return Math.max(0, Math.min(needed, count - columns))
}
