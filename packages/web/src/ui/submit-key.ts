type Key = Pick<KeyboardEvent, "key" | "shiftKey" | "isComposing">

/** Whether a key press in a text field submits it. On a touch keyboard, Enter is the only way to a new line. */
export function isSubmitKey(event: Key, { enterSends, touch }: { enterSends: boolean; touch: boolean }): boolean {
  return event.key === "Enter" && !event.shiftKey && !event.isComposing && enterSends && !touch
}

export function isTouchScreen(): boolean {
  return matchMedia("(pointer: coarse)").matches
}
