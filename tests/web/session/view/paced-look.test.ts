import { expect, it } from "vitest"
import { pacedLook } from "../../../../packages/web/src/session/view/paced-look.ts"

/** Returns looks and pauses that end when the test ends them. */
function stage() {
  const stopping = new AbortController()
  const open: Record<"looks" | "pauses", (() => void)[]> = { looks: [], pauses: [] }
  const until = (which: keyof typeof open) => new Promise<void>((resolve) => void open[which].push(resolve))
  let looks = 0
  const ask = pacedLook({
    look: () => {
      looks++
      return until("looks")
    },
    everyMs: 300,
    pause: () => until("pauses"),
    signal: stopping.signal,
  })
  const end = async (which: keyof typeof open) => {
    for (const resolve of open[which].splice(0)) resolve()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { ask, end, looks: () => looks, stop: () => stopping.abort() }
}

it("looks at the first request at once, and once for all that come meanwhile, after the look and the pause have ended", async () => {
  const { ask, end, looks } = stage()
  ask()
  expect(looks()).toBe(1)
  ask()
  ask()
  await end("pauses")
  expect(looks()).toBe(1)
  await end("looks")
  expect(looks()).toBe(2)
  await end("looks")
  ask()
  expect(looks()).toBe(2)
  await end("pauses")
  expect(looks()).toBe(3)
})

it("looks at once again after a while without requests, and no more once it was stopped", async () => {
  const { ask, end, looks, stop } = stage()
  ask()
  await end("looks")
  await end("pauses")
  expect(looks()).toBe(1)
  ask()
  expect(looks()).toBe(2)
  ask()
  stop()
  await end("looks")
  await end("pauses")
  expect(looks()).toBe(2)
})
