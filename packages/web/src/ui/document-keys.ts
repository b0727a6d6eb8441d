import { useEffect, useRef } from "react"

/** Calls back on every key pressed on the page, wherever the focus is, while `on` is set. */
export function useDocumentKeys(pressed: (event: KeyboardEvent) => void, on = true): void {
  const latest = useRef(pressed)
  latest.current = pressed
  useEffect(() => {
    if (!on) return
    const listener = (event: KeyboardEvent) => latest.current(event)
    document.addEventListener("keydown", listener)
    return () => document.removeEventListener("keydown", listener)
  }, [on])
}

/** True if a key is meant for a field or a dialog. */
export function isTyping({ target }: KeyboardEvent): boolean {
  if (document.querySelector("dialog[open]")) return true
  return target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null
}
