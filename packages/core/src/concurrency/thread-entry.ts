import { parentPort, workerData } from "node:worker_threads"

export type Functions = Record<string, (...args: never[]) => unknown>

/** A function call sent to the thread. */
export interface CallMessage {
  name: string
  args: unknown[]
}

/**
 * Serves the calls of `createThread` if this thread was created for the module at `url`. Otherwise, does nothing. If a
 * function throws, the thread ends, because its libraries may then be in any state.
 */
export function serveCalls(url: string, functions: Functions): void {
  if (workerData !== url) return
  parentPort?.on("message", async ({ name, args }: CallMessage) => {
    parentPort?.postMessage(await functions[name]?.(...(args as never[])))
  })
  parentPort?.postMessage("ready")
}
