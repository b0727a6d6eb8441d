import { useMemo, useState } from "react"

/** The rows that the reader has expanded. Kept beside a list, since a row that is scrolled out of sight is unmounted. */
export function useExpanded() {
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set())
  return useMemo(
    () => ({
      isExpanded: (key: string) => expanded.has(key),
      toggle: (key: string) => setExpanded((before) => before.symmetricDifference(new Set([key]))),
    }),
    [expanded],
  )
}
