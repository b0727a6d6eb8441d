/** A column narrower than this is no pleasure to read. */
const COLUMN_PX = 380
const MOST = 3

/** The number of columns that a width has room for. */
export function columnsIn(width: number): number {
  return Math.min(MOST, Math.max(1, Math.floor(width / COLUMN_PX)))
}

/** The first agent with a column, so that the selected one has one and as few others as possible change. */
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
