type Key = Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "metaKey" | "isComposing">

/**
 * Returns true if a key press in a text field submits it: Ctrl+Enter or Command+Enter always, and Enter alone if the
 * user wants that. On a touch keyboard, Enter alone is the only way to start a new line.
 */
export function isSubmitKey(event: Key, { enterSends, touch }: { enterSends: boolean; touch: boolean }): boolean {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return false
  return event.ctrlKey || event.metaKey || (enterSends && !touch)
}

export function isTouchScreen(): boolean {
  return matchMedia("(pointer: coarse)").matches
}
