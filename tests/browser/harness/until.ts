import { expect } from "vitest"

/** Asks again and again until it is so, for as long as a busy machine may take. */
export function until<T>(ask: () => T) {
  return expect.poll(ask, { interval: 50 })
}
