import { useEffect, useRef } from "react"
import { useStudio } from "./studio.ts"

/** Something that can be done on the screen that is shown now: by a key, by the palette, by its button. */
export interface Command {
  id: string
  title: string
  run(): void
}

export interface Commands {
  register(command: Command): () => void
  /** Runs the command if it is there now. Says whether it was. */
  run(id: string): boolean
  list(): Command[]
}

/** The commands of the screens that are mounted; of two with one id, the newer. */
export function createCommands(): Commands {
  const mounted: Command[] = []
  return {
    register: (command) => {
      mounted.push(command)
      return () => {
        mounted.splice(mounted.indexOf(command), 1)
      }
    },
    run: (id) => {
      const command = mounted.findLast((one) => one.id === id)
      command?.run()
      return command !== undefined
    },
    list: () => [...new Map(mounted.map((command) => [command.id, command])).values()],
  }
}

/** Offers a command for as long as the component is there. Null: not now. */
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
