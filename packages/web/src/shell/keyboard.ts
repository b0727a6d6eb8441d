import { useState } from "react"
import { useStudio } from "../session/context/studio.ts"
import { isTyping, useDocumentKeys } from "../ui/document-keys.ts"
import { isForInputMethod } from "../ui/submit-key.ts"
import { createShortcutMatcher } from "./shortcut-matcher.ts"

/** Runs the studio's commands on their shortcuts. */
export function useKeyboard(): void {
  const { commands, browser } = useStudio()
  const [match] = useState(createShortcutMatcher)
  useDocumentKeys((event) => {
    if (event.defaultPrevented || isForInputMethod(event)) return
    const isHeld = commands.letterHolds.getState() > 0
    const takesLetters = isTyping(event) || isHeld || !browser.getState().preferences.single_letter_keys
    const command = match(event, { takesLetters, isControl: isControl(event.target) })
    if (command === "run" && isInOtherForm(event)) return
    if (command && commands.run(command)) event.preventDefault()
  })
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("button, a, [role=treeitem], [role=tab], summary") !== null
}

/** True if a key is meant for a dialog or a form, except the form that sends a message. */
function isInOtherForm({ target }: KeyboardEvent): boolean {
  if (document.querySelector("dialog[open]")) return true
  return target instanceof Element && target.closest("form:not([data-composer])") !== null
}

/** Moves the focus to the next or previous region. */
export function focusRegion(step: 1 | -1): void {
  const all = [...document.querySelectorAll<HTMLElement>("[data-region]")]
  const regions = all.filter((region) => region.checkVisibility({ visibilityProperty: true }))
  // Regions may be nested, in which case the innermost one counts.
  const at = regions.findLastIndex((region) => region.contains(document.activeElement))
  regions[(Math.max(at, step === 1 ? -1 : 0) + step + regions.length) % regions.length]?.focus()
}
