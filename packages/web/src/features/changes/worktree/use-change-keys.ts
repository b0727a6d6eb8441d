import { useEffect, useRef } from "react"
import { useBrowser } from "../../../session/context/studio.ts"

/** Registers this screen's single-letter shortcuts. They are off while typing, or if disabled. */
export function useChangeKeys(keys: Record<string, () => void>): void {
  const on = useBrowser((state) => state.preferences.single_letter_keys)
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    if (!on) return
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return
      if (isTyping(event.target)) return
      const run = Object.hasOwn(latest.current, event.key) ? latest.current[event.key] : undefined
      if (!run) return
      event.preventDefault()
      run()
    }
    document.addEventListener("keydown", pressed)
    return () => document.removeEventListener("keydown", pressed)
  }, [on])
}

function isTyping(target: EventTarget | null): boolean {
  if (document.querySelector("dialog[open]")) return true
  return target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null
}
