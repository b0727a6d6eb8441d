export interface Placed {
  id: string
  /** Its column: after all nodes that it depends on. */
  column: number
  row: number
}

/** The places of nodes on a board, each right of those that it depends on. Nodes come in an order in which that is so. */
export function placeNodes(nodes: readonly { id: string; dependencies: readonly string[] }[]): Map<string, Placed> {
  const placed = new Map<string, Placed>()
  const rows: number[] = []
  for (const { id, dependencies } of nodes) {
    const before = dependencies.flatMap((dependency) => placed.get(dependency) ?? [])
    const column = Math.max(-1, ...before.map((one) => one.column)) + 1
    // As high as the highest of those before it, if that is free.
    const row = Math.max(rows[column] ?? 0, Math.min(...before.map((one) => one.row), before.length > 0 ? 1e9 : 0))
    rows[column] = row + 1
    placed.set(id, { id, column, row })
  }
  return placed
}
