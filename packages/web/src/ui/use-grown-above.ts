import { useEffect, useMemo, useRef } from "react"

export interface GrownAbove {
  /** True if the last change to the list loaded rows above the existing ones. */
  isGrown: boolean
  /** Number of all rows loaded that way. */
  above: number
}

/**
 * Detects rows loaded above a list's first row, so that its reader stays in place and those rows don't count as new.
 * `rows` must be the same array until a row changes, and `keyOf` always the same function.
 */
export function useGrownAbove<Row>(rows: readonly Row[], keyOf: (row: Row) => string | number): GrownAbove {
  const before = useRef<{ first: string | number | undefined; above: number }>({ first: undefined, above: 0 })
  const now = useMemo(() => {
    const { first, above } = before.current
    // A list without that row is a different list.
    const more =
      first === undefined
        ? 0
        : Math.max(
            0,
            rows.findIndex((row) => keyOf(row) === first),
          )
    return { first: rows[0] && keyOf(rows[0]), isGrown: more > 0, above: above + more }
  }, [rows, keyOf])
  useEffect(() => {
    before.current = now
  }, [now])
  return now
}
