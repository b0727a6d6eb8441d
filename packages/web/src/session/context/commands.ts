import { useEffect, useRef } from "react"
import { useStudio } from "./studio.ts"

/** An action of the current screen, for shortcuts, the palette and buttons. */
export interface Command {
  id: string
  title: string
  run(): void
}

export interface Commands {
  register(command: Command): () => void
  /** Runs the command if it is registered. Returns whether it was. */
  run(id: string): boolean
  list(): Command[]
}

/** The commands of the mounted screens; of two with the same id, the newer one counts. */
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

/** Registers a command while the component is mounted. Null: not available now. */
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
