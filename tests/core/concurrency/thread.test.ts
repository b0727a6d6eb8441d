import { createThread } from "@switchyard/core/concurrency/thread"
import { expect, it } from "vitest"
import type { AnsweringFunctions } from "./answering-thread.ts"

const createAnswering = (limits: { withinMs: number; idleMs?: number }) =>
  createThread<AnsweringFunctions>(() => import("./answering-thread.ts"), limits)

it("ends a thread that takes too long, fails, exits or fills its memory, and answers the next call", async () => {
  const call = createAnswering({ withinMs: 2_000 })
  for (const name of ["hang", "fail", "exit"] as const) {
    expect(await Promise.all([call("lengthOf", "abc"), call(name), call("lengthOf", "ab")])).toEqual([3, undefined, 2])
  }
  const patient = createAnswering({ withinMs: 60_000 })
  expect(await Promise.all([patient("fill"), patient("lengthOf", "abc")])).toEqual([undefined, 3])
})

it("lets the process do other things while a thread hangs", async () => {
  let turns = 0
  const counting = setInterval(() => turns++, 1)
  await createAnswering({ withinMs: 500 })("hang")
  clearInterval(counting)
  expect(turns).toBeGreaterThan(5)
})

it("ends a thread that is unused, and starts another with the next call", async () => {
  const call = createAnswering({ withinMs: 2_000, idleMs: 1 })
  const threads = () => process.getActiveResourcesInfo().filter((name) => name === "MessagePort").length
  const before = threads()
  expect(await call("lengthOf", "abc")).toBe(3)
  await expect.poll(threads).toBe(before)
  expect(await call("lengthOf", "ab")).toBe(2)
})

it("throws if the thread can't start", async () => {
  const call = createThread<AnsweringFunctions>(async () => ({ url: `${import.meta.url}.none` }), { withinMs: 2_000 })
  await expect(call("lengthOf", "abc")).rejects.toThrow("couldn't be started")
})
