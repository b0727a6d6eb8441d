import { useEffect, useMemo, useRef } from "react"

/** Counts the rows of a list that were loaded above those that it had, and tells whether its newest change did that. */
interface GrownAbove {
  isGrown: boolean
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
