import { parentPort, workerData } from "node:worker_threads"

export type Functions = Record<string, (...args: never[]) => unknown>

/** Call of a function in the thread. */
export interface CallMessage {
  name: string
  args: unknown[]
}

/**
 * Answers the calls of `createThread` if this is the thread of the module at `url`, and does nothing otherwise. A
 * function that throws ends the thread, because its libraries may be in any state.
 */
export function serveCalls(url: string, functions: Functions): void {
  if (workerData !== url) return
  parentPort?.on("message", async ({ name, args }: CallMessage) => {
    parentPort?.postMessage(await functions[name]?.(...(args as never[])))
  })
  parentPort?.postMessage("ready")
}
