import { Worker } from "node:worker_threads"
import { createThread } from "@switchyard/core/thread"
import { expect, it } from "vitest"

const ANSWER = `
  require("node:worker_threads").parentPort.on("message", (text) => {
    if (text === "hang") for (;;);
    if (text === "fail") throw new Error("failed")
    if (text === "exit") process.exit(0)
    require("node:worker_threads").parentPort.postMessage(text.length)
  })
`

it("ends a thread that takes too long, fails or exits, and answers the next text", async () => {
  const started: Worker[] = []
  const start = () => {
    const worker = new Worker(ANSWER, { eval: true, stderr: true })
    started.push(worker)
    return worker
  }
  const lengthOf = createThread<number>(start, { withinMs: 2_000 })
  const texts = ["abc", "hang", "ab", "fail", "a", "exit", "", "x"]
  expect(await Promise.all(texts.map(lengthOf))).toEqual([3, undefined, 2, undefined, 1, undefined, 0, 1])
  expect(started).toHaveLength(4)
  // Those that were ended have no thread any more.
  expect(started.map(({ threadId }) => threadId > 0)).toEqual([false, false, false, true])
  await started.at(-1)?.terminate()
})

it("lets the process do other things while a thread hangs", async () => {
  let turns = 0
  const counting = setInterval(() => turns++, 1)
  const lengthOf = createThread<number>(() => new Worker(ANSWER, { eval: true }), { withinMs: 500 })
  await lengthOf("hang")
  clearInterval(counting)
  expect(turns).toBeGreaterThan(5)
})
