import { useEffect, useRef } from "react"
import { isFindChord } from "./keys.ts"

/** Calls back when the page is asked to find something, wherever the focus is, unless a window is open over it. */
export function useFindKey(find: (event: KeyboardEvent) => void): void {
  const latest = useRef(find)
  latest.current = find
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || !isFindChord(event) || document.querySelector("dialog[open]")) return
      latest.current(event)
    }
    document.addEventListener("keydown", pressed)
    return () => document.removeEventListener("keydown", pressed)
  }, [])
}
