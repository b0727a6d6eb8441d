import { useState } from "react"
import { storeItem } from "../../api/store-item.ts"

const KEY = "switchyard.preview.shown"

/** Whether the preview stands above the editor, as this browser remembers it. */
export function usePreviewShown(): [boolean, () => void] {
  const [shown, setShown] = useState(() => localStorage.getItem(KEY) !== null)
  const toggle = () => {
    setShown(!shown)
    if (shown) localStorage.removeItem(KEY)
    else storeItem(localStorage, KEY, "1")
  }
  return [shown, toggle]
}
