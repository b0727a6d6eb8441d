import { useLocation, useSearch } from "wouter"

/** Changes some of the query's values; null removes a value. */
type ChangeQuery = (values: Record<string, string | null>, options?: { replace: boolean }) => void

/**
 * The query of the address, and a function that changes it. Reads the address itself, because the router's value is
 * already partly decoded, so a file named `100%25.txt` would become a different one.
 */
export function useAddressQuery(): [query: URLSearchParams, change: ChangeQuery] {
  useSearch()
  const [, go] = useLocation()
  const change: ChangeQuery = (values, options) => {
    const changed = new URLSearchParams(location.search)
    for (const [name, value] of Object.entries(values)) {
      if (value === null) changed.delete(name)
      else changed.set(name, value)
    }
    const search = changed.size > 0 ? `?${changed}` : ""
    if (search !== location.search) go(location.pathname + search, options)
  }
  return [new URLSearchParams(location.search), change]
}
