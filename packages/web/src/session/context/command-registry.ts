import { createStore, type StoreApi } from "zustand"

/** An action on the current screen, for shortcuts, the palette and buttons. */
export interface Command {
  id: string
  title: string
  run(): void
}

export interface Commands {
  register(command: Command): () => void
  /** Runs the command if it is registered. Returns whether it was. */
  run(id: string): boolean
  /** Registered commands, oldest first. If two have the same ID, the newer one wins. */
  mounted: StoreApi<readonly Command[]>
  /** Turns single-letter shortcuts off until the returned function is called. */
  holdLetters(): () => void
  /** Number of holds on single-letter shortcuts. */
  letterHolds: StoreApi<number>
}

export function createCommands(): Commands {
  const mounted = createStore<readonly Command[]>(() => [])
  const letterHolds = createStore(() => 0)
  return {
    mounted,
    letterHolds,
    holdLetters: () => {
      letterHolds.setState((holds) => holds + 1, true)
      return () => letterHolds.setState((holds) => holds - 1, true)
    },
    register: (command) => {
      mounted.setState((all) => [...all, command], true)
      return () => mounted.setState((all) => all.filter((one) => one !== command), true)
    },
    run: (id) => {
      const command = mounted.getState().findLast((one) => one.id === id)
      command?.run()
      return command !== undefined
    },
  }
}

/** Returns each command once, as it would be run. */
export function distinct(commands: readonly Command[]): Command[] {
  return [...new Map(commands.map((command) => [command.id, command])).values()]
}
