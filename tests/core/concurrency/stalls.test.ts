import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { setTimeout as delay } from "node:timers/promises"
import { watchForStalls } from "@switchyard/core/concurrency/stalls"
import { expect, it } from "vitest"
import { itDeep } from "../../depth.ts"

it("tells for how long everything else waited", async () => {
  const told: number[] = []
  using _watch = watchForStalls((ms) => told.push(ms))
  await delay(50)
  const began = performance.now()
  while (performance.now() - began < 400);
  await expect.poll(() => Math.max(0, ...told)).toBeGreaterThan(350)
})

it("tells of a wait that takes no CPU", async () => {
  const told: number[] = []
  using _watch = watchForStalls((ms) => told.push(ms))
  await delay(50)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400)
  await expect.poll(() => Math.max(0, ...told)).toBeGreaterThan(350)
})

itDeep("doesn't take a process that was frozen for one that stalled", async () => {
  const child = spawn(process.execPath, ["--input-type=module", "-e", WATCHED], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  await nextCheck(lines)
  let told = 0
  for (let freezes = 0; freezes < FREEZES; freezes++) {
    await freeze(child, 800)
    told += await nextCheck(lines)
  }
  child.kill("SIGKILL")
  // A freeze in the middle of some work may look like a stall, but not every freeze.
  expect(told).toBeLessThan(FREEZES)
})

const FREEZES = 3

/** Prints "stall" for each stall. Every second, prints "checked" once all earlier stalls have been printed. */
const WATCHED = `
  import { watchForStalls } from ${JSON.stringify(import.meta.resolve("@switchyard/core/concurrency/stalls"))}
  watchForStalls(() => console.log("stall"), { limitMs: 400 })
  setInterval(() => setTimeout(() => console.log("checked"), 100), 1000)
`

/** Waits until earlier stalls have been printed and returns their number. */
async function nextCheck(lines: AsyncIterator<string>): Promise<number> {
  let stalls = 0
  for (let checks = 0; checks < 2; ) {
    const { value } = await lines.next()
    if (value === "stall") stalls++
    else checks++
  }
  return stalls
}

async function freeze(child: ChildProcess, ms: number): Promise<void> {
  // The child has just printed a line and is idle until the next one.
  await delay(100)
  child.kill("SIGSTOP")
  await delay(ms)
  child.kill("SIGCONT")
  await once(child.stdout ?? child, "data")
}
