/** The costs that an agent's program reports: of all turns, and of the one that is under way. */
export interface ReportedCost {
  /** Null where it never reported one; the prices of models aren't known here. */
  costUsd: number | null
  turnCostUsd: number
}

/** The costs after one more report, which is of the whole turn so far: a turn reports as often as it likes. */
export function withCost({ costUsd, turnCostUsd }: ReportedCost, reported: number): ReportedCost {
  const turn = Math.max(turnCostUsd, reported)
  return { costUsd: (costUsd ?? 0) + turn - turnCostUsd, turnCostUsd: turn }
}
