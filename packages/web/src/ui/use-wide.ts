import { useSyncExternalStore } from "react"

const media = matchMedia("(min-width: 768px)")

/** Whether there is room for panes side by side. A phone gets another composition of the same parts. */
export function useWide(): boolean {
  return useSyncExternalStore(
    (changed) => {
      media.addEventListener("change", changed)
      return () => media.removeEventListener("change", changed)
    },
    () => media.matches,
  )
}
