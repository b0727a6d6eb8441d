interface Node {
  id: string
  dependencies: readonly string[]
}

export interface Placed {
  id: string
  /** Its column, after those of all nodes that it depends on. */
  column: number
  row: number
}

/**
 * Returns the positions of nodes on a board. Each is to the right of those that it depends on; within a column, they
 * keep their order.
 */
export function placeNodes(nodes: readonly Node[]): Map<string, Placed> {
  const columns = columnsOf(nodes)
  const columnOf = ({ id }: Node) => columns.get(id) ?? 0
  const placed = new Map<string, Placed>()
  const rows: number[] = []
  for (const node of nodes.toSorted((one, other) => columnOf(one) - columnOf(other))) {
    const { id, dependencies } = node
    const column = columnOf(node)
    const before = dependencies.flatMap((dependency) => placed.get(dependency) ?? [])
    // At the same height as the highest of its dependencies, if that is free.
    const row = Math.max(rows[column] ?? 0, Math.min(...before.map((one) => one.row), before.length > 0 ? 1e9 : 0))
    rows[column] = row + 1
    placed.set(id, { id, column, row })
  }
  return placed
}

/** Returns the column of each node. There are no dependency cycles. */
function columnsOf(nodes: readonly Node[]): Map<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const columns = new Map<string, number>()
  const columnOf = (id: string): number => {
    const known = columns.get(id)
    const node = byId.get(id)
    if (known !== undefined || !node) return known ?? -1
    const column = Math.max(-1, ...node.dependencies.map(columnOf)) + 1
    columns.set(id, column)
    return column
  }
  for (const { id } of nodes) columnOf(id)
  return columns
}
