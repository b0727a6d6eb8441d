import { useSyncExternalStore } from "react"

/** Whether the page matches a media query. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const media = matchMedia(query)
      media.addEventListener("change", changed)
      return () => media.removeEventListener("change", changed)
    },
    () => matchMedia(query).matches,
  )
}

/** Whether there is room for panes side by side. Phones get another composition of the same parts. */
export function useWideScreen(): boolean {
  return useMedia("(min-width: 768px)")
}

/** Whether there is room for several panes one above the other. */
export function useTallScreen(): boolean {
  return useMedia("(min-height: 720px)")
}
