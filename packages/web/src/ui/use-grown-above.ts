import { useEffect, useMemo, useRef } from "react"

interface GrownAbove {
  /** Whether the newest change of the list loaded rows above those that it had. */
  isGrown: boolean
  /** Number of all rows that were loaded so. */
  above: number
}

/**
 * Follows what is loaded above a list's first row, so that its reader stays where they are, and no such row counts as new.
 * The rows are the same array until one of them changes, and `keyOf` is always the same function.
 */
export function useGrownAbove<Row>(rows: readonly Row[], keyOf: (row: Row) => string | number): GrownAbove {
  const before = useRef<{ first: string | number | undefined; above: number }>({ first: undefined, above: 0 })
  const now = useMemo(() => {
    const { first, above } = before.current
    // A list without that row is another one.
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
