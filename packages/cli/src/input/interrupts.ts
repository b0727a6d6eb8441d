import type { EventEmitter } from "node:events"
import { Interrupted } from "../errors/errors.ts"

/** Abort signals for the next two interrupts (SIGINT or SIGTERM). */
export interface Interrupts {
  readonly first: AbortSignal
  readonly second: AbortSignal
}

export interface InterruptSource extends Interrupts {
  /** Returns signals for the next two interrupts from now on. Signals that were returned earlier don't change. */
  renew(): Interrupts
}

/**
 * Converts the first two interrupts to abort signals. A third interrupt calls `leave`, in case the signals are ignored.
 */
export function createInterrupts(source: EventEmitter, leave: () => void): InterruptSource {
  let pending: AbortController[] = []
  const renew = (): Interrupts => {
    const [first, second] = [new AbortController(), new AbortController()]
    pending = [first, second]
    return { first: first.signal, second: second.signal }
  }
  const interrupt = () => {
    const next = pending.shift()
    if (next) next.abort(new Interrupted("Interrupted."))
    else leave()
  }
  source.on("SIGINT", interrupt)
  source.on("SIGTERM", interrupt)
  return { ...renew(), renew }
}
