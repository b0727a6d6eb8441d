import { expect } from "vitest"

/** Polls until the assertion holds, for as long as a busy machine may take. */
export function until<T>(ask: () => T) {
  return expect.poll(ask, { interval: 50 })
}
