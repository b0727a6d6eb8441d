import { useSyncExternalStore } from "react"

/** Whether the page is as the media query says. */
export function useMatches(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const media = matchMedia(query)
      media.addEventListener("change", changed)
      return () => media.removeEventListener("change", changed)
    },
    () => matchMedia(query).matches,
  )
}
