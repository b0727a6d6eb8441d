import { useEffect } from "react"
import { shortcuts } from "../features/command-palette/shortcuts.ts"
import type { Commands } from "../session/context/commands.ts"
import { useStudio } from "../session/context/studio.ts"

/** How long the second letter of a pair may take. */
const PAIR_MS = 1500

const listened = shortcuts.filter(({ local }) => !local)
const commandOf = (single: boolean) =>
  new Map(listened.filter((one) => (one.single ?? false) === single).map(({ keys, id }) => [keys, id]))
const chords = commandOf(false)
/** Letters and signs alone, and pairs of them. */
const letters = commandOf(true)

/** The studio's keys. Single letters only count where nobody types, and can be switched off (WCAG 2.1.4). */
export function useKeyboard(): void {
  const { commands, browser } = useStudio()
  useEffect(() => {
    let pairUntil = 0
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return
      const chord = chords.get(nameOf(event))
      if (chord) return answer(event, commands, chord)
      if (isTyping(event) || !browser.getState().preferences.single_letter_keys) return
      if (event.ctrlKey || event.metaKey || event.altKey) return
      const key = event.key === " " ? "space" : event.key.length === 1 ? event.key.toLowerCase() : event.key
      const inPair = event.timeStamp < pairUntil
      pairUntil = key === "g" && !inPair ? event.timeStamp + PAIR_MS : 0
      const command = letters.get(inPair ? `g ${key}` : key)
      if (command && !(key === "space" && isControl(event.target))) answer(event, commands, command)
    }
    document.addEventListener("keydown", pressed)
    return () => document.removeEventListener("keydown", pressed)
  }, [commands, browser])
}

function answer(event: KeyboardEvent, commands: Commands, command: string): void {
  if (commands.run(command)) event.preventDefault()
}

function nameOf(event: KeyboardEvent): string {
  const modified = event.ctrlKey || event.metaKey ? "mod+" : event.shiftKey ? "shift+" : ""
  const key = event.key.length === 1 || event.key === "Enter" ? event.key.toLowerCase() : event.key
  return modified + key
}

function isTyping({ target }: KeyboardEvent): boolean {
  if (document.querySelector("dialog[open]")) return true
  return target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("button, a, [role=treeitem], [role=tab], summary") !== null
}

/** Moves focus to the region after, or before, the one that has it. */
export function focusRegion(step: 1 | -1): void {
  const regions = [...document.querySelectorAll<HTMLElement>("[data-region]")].filter((region) => region.offsetParent)
  // Regions may stand in one another: the innermost is where the focus is.
  const at = regions.findLastIndex((region) => region.contains(document.activeElement))
  regions[(Math.max(at, step === 1 ? -1 : 0) + step + regions.length) % regions.length]?.focus()
}
