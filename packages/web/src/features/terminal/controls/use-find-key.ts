import { useEffect, useRef } from "react"
import { isFindChord } from "./keys.ts"

/** Calls back on the find shortcut, wherever the focus is, unless a dialog is open. */
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
