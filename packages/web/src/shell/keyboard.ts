import { useState } from "react"
import { useStudio } from "../session/context/studio.ts"
import { isTyping, useDocumentKeys } from "../ui/document-keys.ts"
import { createShortcutMatcher } from "./shortcut-matcher.ts"

/** Runs the studio's commands on their shortcuts. */
export function useKeyboard(): void {
  const { commands, browser } = useStudio()
  const [match] = useState(createShortcutMatcher)
  useDocumentKeys((event) => {
    if (event.defaultPrevented || event.isComposing) return
    const isHeld = commands.letterHolds.getState() > 0
    const takesLetters = isTyping(event) || isHeld || !browser.getState().preferences.single_letter_keys
    const command = match(event, { takesLetters, isControl: isControl(event.target) })
    if (command && commands.run(command)) event.preventDefault()
  })
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("button, a, [role=treeitem], [role=tab], summary") !== null
}

/** Moves the focus to the next or previous region. */
export function focusRegion(step: 1 | -1): void {
  const regions = [...document.querySelectorAll<HTMLElement>("[data-region]")].filter((region) => region.offsetParent)
  // Regions may be nested, in which case the innermost one counts.
  const at = regions.findLastIndex((region) => region.contains(document.activeElement))
  regions[(Math.max(at, step === 1 ? -1 : 0) + step + regions.length) % regions.length]?.focus()
}
