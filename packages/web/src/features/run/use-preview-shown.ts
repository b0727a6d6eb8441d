import { useState } from "react"

const KEY = "switchyard.preview.shown"

/** Whether the preview stands above the editor, as this browser remembers it. */
export function usePreviewShown(): [boolean, () => void] {
  const [shown, setShown] = useState(() => localStorage.getItem(KEY) !== null)
  const toggle = () => {
    setShown(!shown)
    if (shown) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, "1")
  }
  return [shown, toggle]
}
