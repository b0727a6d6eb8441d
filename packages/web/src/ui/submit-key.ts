type Key = Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "metaKey" | "isComposing">

/**
 * Whether a key press in a text field submits it: Enter with Ctrl or Command always, and Enter alone where somebody wants that. On
 * a touch keyboard, Enter alone is the only way to a new line.
 */
export function isSubmitKey(event: Key, { enterSends, touch }: { enterSends: boolean; touch: boolean }): boolean {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return false
  return event.ctrlKey || event.metaKey || (enterSends && !touch)
}

export function isTouchScreen(): boolean {
  return matchMedia("(pointer: coarse)").matches
}
