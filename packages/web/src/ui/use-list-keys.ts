import { type RefObject, useEffect } from "react"

/**
 * Lets J and K move through a list's links, and O open the focused one. Only while `on` is set and the focus is in the
 * list.
 */
export function useListKeys(list: RefObject<HTMLElement | null>, on: boolean): void {
  useEffect(() => {
    const frame = list.current
    if (!frame || !on) return
    const pressed = (event: KeyboardEvent) => {
      if (event.target instanceof HTMLInputElement) return
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      const links = [...frame.querySelectorAll<HTMLElement>("a[href]")]
      const at = links.indexOf(document.activeElement as HTMLElement)
      const meant = { j: links[at + 1], k: links[at < 0 ? links.length - 1 : at - 1], o: links[at] }[event.key]
      if (!meant) return
      event.preventDefault()
      if (event.key === "o") meant.click()
      else meant.focus()
    }
    frame.addEventListener("keydown", pressed)
    return () => frame.removeEventListener("keydown", pressed)
  }, [list, on])
}
