import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Records } from "@switchyard/core/storage/records"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createScriptedProvider, textAnswer } from "../../../fixtures/scripted-model.ts"
import type { Stores } from "../../../fixtures/stores.ts"
import { mortal } from "../mortal-stores.ts"
import { block, type ChatBench, openChatBench } from "./chat-bench.ts"

let bench: ChatBench
beforeEach(async () => {
  bench = await openChatBench()
})
afterEach(() => bench.close())

const LONG = "x".repeat(40_000)
const before = { "a.ts": "const a = 1\n", "b.ts": "const b = 1\n" }
/** So long that the log stores the answer, its edits and its result as blobs. */
const answer = [
  "I do.\n\n",
  block("a.ts", "const a = 1\n", "const a = 2\n"),
  block("b.ts", "const b = 1\n", "const b = 2\n"),
  block("c.ts", "", `// ${LONG}\n`),
].join("")
const after = { "a.ts": "const a = 2\n", "b.ts": "const b = 2\n", "c.ts": `// ${LONG}\n` }

/** Begins a turn in a new session on the same stores. */
async function begin(): Promise<string> {
  bench = await openChatBench(bench.stores)
  await bench.write(before)
  return bench.ask("Change them", { files: ["a.ts", "b.ts"] })
}

const modelThatAnswers = () => createScriptedProvider(() => textAnswer(answer))

async function expectSettledOnce(where: string) {
  const settled = await bench.eventsOf("chat_turn_settled")
  expect(settled.length, where).toBe(1)
  expect((await bench.eventsOf("chat_answered")).length, where).toBe(1)
  expect((await bench.state()).chat.totals.turns, where).toBe(1)
}

describe("an executor of a turn that dies", () => {
  it.each(["lost", "done"] as const)(
    "at any of its writes (the last one %s) leaves a turn that its successor ends, with its edits applied once",
    async (lastWrite) => {
      for (let nth = 1; ; nth++) {
        const where = `killed at write ${nth}`
        const runId = await begin()
        const first = modelThatAnswers()
        const { on } = mortal(bench.stores, nth, lastWrite)
        const outcome = await bench.execute(runId, first, { on }).then(
          () => "ended",
          () => "died",
        )
        const wasWhole = (await bench.eventsOf("chat_answered")).length > 0
        const second = modelThatAnswers()
        if (outcome === "died" && (await bench.run(runId)).status !== "completed") await bench.execute(runId, second)

        expect((await bench.run(runId)).status, where).toBe("completed")
        expect(second.requests.length, where).toBe(wasWhole || outcome === "ended" ? 0 : 1)
        expect(await bench.files(), where).toEqual(after)
        const commits = await bench.eventsOf("workspace_committed")
        expect(commits.filter(({ step }) => step === "edits").length, where).toBe(1)
        expect((await bench.eventsOf("chat_edits_applied")).length, where).toBe(1)
        await expectSettledOnce(where)
        const [, said] = await bench.messages()
        expect(said?.result, where).toMatchObject({ counts: { passed: 3 }, cancelled: false, error: null })
        if (outcome === "ended") {
          expect(nth).toBeGreaterThan(8)
          break
        }
      }
    },
    120_000,
  )
})

describe("an executor of a turn whose model breaks off", () => {
  const partial = `I do.\n\n${block("a.ts", "const a = 1\n", "const a = 2\n")}And`
  const modelThatBreaks = () =>
    createScriptedProvider(() => [{ type: "text", text: partial }, Promise.reject(new Error("It broke off."))])

  it.each(["lost", "done"] as const)(
    "and dies at any of its writes (the last one %s) leaves a turn that fails, once, and changes nothing",
    async (lastWrite) => {
      for (let nth = 1; ; nth++) {
        const where = `killed at write ${nth}`
        const runId = await begin()
        const { on } = mortal(bench.stores, nth, lastWrite)
        const outcome = await bench.execute(runId, modelThatBreaks(), { on }).then(
          () => "ended",
          () => "died",
        )
        if (outcome === "died" && (await bench.run(runId)).status !== "failed") {
          await bench.execute(runId, modelThatBreaks())
        }
        expect((await bench.run(runId)).status, where).toBe("failed")
        expect(await bench.files(), where).toEqual(before)
        await expectSettledOnce(where)
        const [, said] = await bench.messages()
        expect(said?.result, where).toMatchObject({ response: partial, error: expect.any(String), cancelled: false })
        if (outcome === "ended") {
          expect(nth).toBeGreaterThan(4)
          break
        }
      }
    },
    120_000,
  )
})

describe("a turn that is stopped", () => {
  it("before any of its writes is settled once, with all of its edits or none", async () => {
    const outcomes = new Set<string>()
    // The first write claims the run.
    for (let nth = 2; ; nth++) {
      const where = `stopped before write ${nth}`
      const runId = await begin()
      const { on, writes } = beforeWrite(bench.stores, nth, () => bench.cancel(runId))
      await bench.execute(runId, modelThatAnswers(), { on })
      if (writes() < nth) {
        expect(nth).toBeGreaterThan(8)
        break
      }
      const { status } = await bench.run(runId)
      const applied = await bench.eventsOf("chat_edits_applied")
      expect(await bench.files(), where).toEqual(applied.length === 0 ? before : after)
      await expectSettledOnce(where)
      const [, said] = await bench.messages()
      const isWhole = said?.content === answer
      expect(isWhole || said?.content.endsWith("[stopped]"), where).toBe(true)
      expect(said?.result?.counts.passed, where).toBe(applied.length === 0 ? 0 : 3)
      if (status === "cancelled" && isWhole && applied.length === 0) {
        expect(said?.result?.notice, where).toContain("stopped")
      }
      outcomes.add(`${status}, ${isWhole ? "whole" : "cut"}, ${applied.length} applied`)
    }
    expect([...outcomes].sort()).toEqual([
      "cancelled, cut, 0 applied",
      "cancelled, whole, 0 applied",
      "cancelled, whole, 1 applied",
      // The stop comes after the turn's end.
      "completed, whole, 1 applied",
    ])
  })
})

/** Wraps stores so that `act` runs before the nth write. */
function beforeWrite(stores: Stores, nth: number, act: () => Promise<unknown>) {
  let writes = 0
  const counted = async <T>(write: () => Promise<T>): Promise<T> => {
    if (++writes === nth) await act()
    return write()
  }
  const records: Records = {
    ...stores.records,
    put: (...args) => counted(() => stores.records.put(...args)),
    remove: (...args) => counted(() => stores.records.remove(...args)),
  }
  const blobs: Blobs = { ...stores.blobs, put: (...args) => counted(() => stores.blobs.put(...args)) }
  return { on: { ...stores, records, blobs }, writes: () => writes }
}
