import { useMemo, useState } from "react"

/**
 * Returns which rows the reader has expanded. Kept outside of the list, because rows scrolled out of view are
 * unmounted.
 */
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

export type Expansion = ReturnType<typeof useExpanded>
