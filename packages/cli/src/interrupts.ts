import type { EventEmitter } from "node:events"
import { Interrupted } from "./errors.ts"

/** Signals for SIGINT and SIGTERM. */
export interface Interrupts {
  readonly first: AbortSignal
  readonly second: AbortSignal
}

/** Turns the first two interrupts into abort signals; a third calls `leave`, in case the signals are ignored. */
export function createInterrupts(source: EventEmitter, leave: () => void): Interrupts {
  const pending = [new AbortController(), new AbortController()]
  const [first, second] = pending.map((controller) => controller.signal) as [AbortSignal, AbortSignal]
  const interrupt = () => {
    const next = pending.shift()
    if (next) next.abort(new Interrupted("Interrupted."))
    else leave()
  }
  source.on("SIGINT", interrupt)
  source.on("SIGTERM", interrupt)
  return { first, second }
}
