import { useBrowser } from "../../../session/context/studio.ts"
import { isTyping, useDocumentKeys } from "../../../ui/document-keys.ts"

/** Registers this screen's single-letter shortcuts. They are off while typing, or if disabled. */
export function useChangeKeys(keys: Record<string, () => void>): void {
  const on = useBrowser((state) => state.preferences.single_letter_keys)
  useDocumentKeys((event) => {
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return
    if (isTyping(event)) return
    const run = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined
    if (!run) return
    event.preventDefault()
    run()
  }, on)
}
