/** Costs reported by an agent's program: for all turns, and for the current one. */
export interface ReportedCost {
  /** Null if it never reported any. Model prices aren't known here. */
  costUsd: number | null
  turnCostUsd: number
}

/**
 * Returns the costs after another report. Each report covers the whole turn so far, and a turn may report any number of
 * times.
 */
export function withCost({ costUsd, turnCostUsd }: ReportedCost, reported: number): ReportedCost {
  const turn = Math.max(turnCostUsd, reported)
  return { costUsd: (costUsd ?? 0) + turn - turnCostUsd, turnCostUsd: turn }
}
