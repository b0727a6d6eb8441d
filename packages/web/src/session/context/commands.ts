import { useEffect, useRef } from "react"
import { useStore } from "zustand"
import { type Command, distinct } from "./command-registry.ts"
import { useStudio } from "./studio.ts"

/** Returns the commands that can be run now. Commands of screens that are still loading are added once loaded. */
export function useCommands(): Command[] {
  return distinct(useStore(useStudio().commands.mounted))
}

/** Turns single-letter shortcuts off while `isHeld`: what is typed is meant for something else. */
export function useHeldLetters(isHeld: boolean): void {
  const { commands } = useStudio()
  useEffect(() => (isHeld ? commands.holdLetters() : undefined), [commands, isHeld])
}

/** Returns true while single-letter shortcuts are off. */
export function useAreLettersHeld(): boolean {
  return useStore(useStudio().commands.letterHolds) > 0
}

/** Registers a command while the component is mounted. Null if it isn't available now. */
export function useCommand(id: string, title: string, run: (() => void) | null): void {
  const { commands } = useStudio()
  const latest = useRef(run)
  latest.current = run
  const offered = run !== null
  useEffect(() => {
    if (!offered) return
    return commands.register({ id, title, run: () => latest.current?.() })
  }, [commands, id, title, offered])
}
