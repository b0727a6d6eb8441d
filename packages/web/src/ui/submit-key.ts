type Key = Pick<KeyboardEvent, "key" | "keyCode" | "shiftKey" | "ctrlKey" | "metaKey" | "isComposing">

/** Reported for each key that an input method handles. Safari sends it for the Enter that ends a composition. */
const COMPOSING_KEY_CODE = 229

/**
 * Returns true if a key press in a text field submits it: Ctrl+Enter or Command+Enter always, and Enter alone unless
 * the user has turned that off. On a touch keyboard, Enter alone is the only way to start a new line.
 */
export function isSubmitKey(event: Key, { enterSends, touch }: { enterSends: boolean; touch: boolean }): boolean {
  if (event.key !== "Enter" || event.shiftKey) return false
  if (isForInputMethod(event)) return false
  return event.ctrlKey || event.metaKey || (enterSends && !touch)
}

/** Returns true if an input method handles the key, which then means nothing to the page. */
export function isForInputMethod({ isComposing, keyCode }: Pick<KeyboardEvent, "isComposing" | "keyCode">): boolean {
  return isComposing || keyCode === COMPOSING_KEY_CODE
}

export function isTouchScreen(): boolean {
  return matchMedia("(pointer: coarse)").matches
}
