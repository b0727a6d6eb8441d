import { parentPort, workerData } from "node:worker_threads"

/** Functions that a thread offers. */
export type Functions = Record<string, (...args: never[]) => unknown>

/** A call of one of them. */
export interface CallMessage {
  name: string
  args: unknown[]
}

/**
 * Answers the calls of `createThread` if this is the thread of the module at `url`; does nothing elsewhere. A function that throws
 * ends the thread: its libraries may be in any state.
 */
export function serveCalls(url: string, functions: Functions): void {
  if (workerData !== url) return
  parentPort?.on("message", async ({ name, args }: CallMessage) => {
    parentPort?.postMessage(await functions[name]?.(...(args as never[])))
  })
  parentPort?.postMessage("ready")
}
