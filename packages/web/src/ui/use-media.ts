import { useCallback, useSyncExternalStore } from "react"

/** Returns true if the page matches a media query. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (changed: () => void) => {
      const media = matchMedia(query)
      media.addEventListener("change", changed)
      return () => media.removeEventListener("change", changed)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches)
}

/** Returns true if there is room for panes side by side. On phones, the same parts are arranged differently. */
export function useWideScreen(): boolean {
  return useMedia("(min-width: 768px)")
}
