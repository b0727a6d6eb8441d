import { checkpointPartition } from "@switchyard/core/kernel/keys"
import type { Records } from "@switchyard/core/storage/records"
import { deleteCheckpoints } from "@switchyard/core/work/workflow/checkpoints/checkpoints"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { textAnswer } from "../../../fixtures/scripted-model.ts"
import { cases } from "../../../settings.ts"
import { mortal } from "../mortal-stores.ts"
import { contentOf, modelFor, planOf, subjectOf } from "./model.ts"
import { openStudio, type Studio } from "./studio.ts"

const files = ["a.ts", "b.ts", "README.md"]
const never = new Promise<never>(() => {})

/** Number of writes from one kill to the next. */
const BETWEEN_KILLS = cases({ usual: 5, deep: 1 })

let studio: Studio
beforeEach(async () => {
  studio = await openStudio()
})
afterEach(() => studio.close())

/** Returns the subjects of the model's requests, without consecutive repeats. */
function asked(model: ReturnType<typeof modelFor>): string[] {
  const subjects = model.requests.map(subjectOf)
  return subjects.filter((subject, index) => subject !== subjects[index - 1])
}

/** Like `modelFor`, but stalls when asked to write this file. `reached` resolves then. */
function silentAt(path: string) {
  const reached = Promise.withResolvers<void>()
  const model = modelFor(files, (request) => {
    if (subjectOf(request) !== path) return undefined
    reached.resolve()
    return [{ type: "text", text: "Let me think" }, never]
  })
  return { model, reached: reached.promise }
}

/** Checks that all files exist and that each step was committed and logged exactly once. */
async function expectWhole() {
  expect(await studio.files()).toEqual(Object.fromEntries(files.map((path) => [path, contentOf(path)])))
  const commits = await studio.eventsOf("workspace_committed")
  expect(commits.map(({ step }) => step)).toEqual(files.map((path, index) => `coder:${index}:${path}`))
  const told = (await studio.eventsOf("node_finished")).filter(({ node }) => node === "coder")
  const last = files.length
  expect(told.map(({ update }) => ("file_path" in update ? update.file_path : update))).toEqual([
    ...files,
    { status: "DONE", current_step_idx: last, total_steps: last },
  ])
}

describe("a run that is cancelled in the middle of a step", () => {
  it("ends as cancelled, with the files of the finished steps and no others", async () => {
    const { model, reached } = silentAt("b.ts")
    const runId = await studio.start()
    const executing = studio.execute(runId, model)
    await reached
    await studio.cancel(runId)
    await executing
    expect(await studio.run(runId)).toMatchObject({ status: "cancelled" })
    expect(Object.keys(await studio.files())).toEqual(["a.ts"])
    expect((await studio.events()).at(-1)).toMatchObject({ type: "run_cancelled", reason: "stopped" })
  })
})

describe("a run that is handed over", () => {
  it("between two steps goes on with the next, and counts its visits on", async () => {
    const runId = await studio.start()
    const first = modelFor(files)
    // Enough time for the planner, the architect and one file.
    let steps = 3
    await studio.execute(runId, first, { remainingMs: () => (steps-- > 0 ? 900_000 : 1000) })
    expect(await studio.run(runId)).toMatchObject({ status: "queued", generation: 1 })
    expect(asked(first)).toEqual(["plan", "task_plan", "a.ts"])

    const second = modelFor(files)
    await studio.execute(runId, second)
    expect(await studio.run(runId)).toMatchObject({ status: "completed", generation: 2 })
    expect(asked(second)).toEqual(["b.ts", "README.md"])
    await expectWhole()
    const visits = (await studio.eventsOf("node_started")).map(({ node, iteration, step }) => [node, iteration, step])
    expect(visits).toEqual([
      ["planner", 1, 1],
      ["architect", 1, 2],
      ["coder", 1, 3],
      ["coder", 2, 4],
      ["coder", 3, 5],
      ["coder", 4, 6],
    ])
  })

  it("in the middle of a step does that step again, and no other", async () => {
    const runId = await studio.start()
    const stopping = new AbortController()
    const { model, reached } = silentAt("b.ts")
    const executing = studio.execute(runId, model, { signal: stopping.signal })
    await reached
    stopping.abort(new Error("The worker must stop."))
    await executing
    expect(await studio.run(runId)).toMatchObject({ status: "queued" })

    const second = modelFor(files)
    await studio.execute(runId, second)
    expect(asked(second)).toEqual(["b.ts", "README.md"])
    await expectWhole()
    const coder = (await studio.eventsOf("node_started")).filter(({ node }) => node === "coder")
    expect(coder.map(({ iteration }) => iteration)).toEqual([1, 2, 3, 4, 5])
  })

  it("redoes nothing that is finished when its checkpoints are gone", async () => {
    const runId = await studio.start()
    let steps = 4
    await studio.execute(runId, modelFor(files), { remainingMs: () => (steps-- > 0 ? 900_000 : 1000) })
    await deleteCheckpoints(studio.stores, studio.sid, runId, {
      signal: new AbortController().signal,
    })
    const before = (await studio.events()).length

    const second = modelFor(files)
    await studio.execute(runId, second)
    expect(asked(second)).toEqual(["README.md"])
    await expectWhole()
    const later = (await studio.events()).slice(before).filter((event) => event.type === "node_started")
    expect(later.map(({ node }) => node)).toEqual(["coder", "coder"])
  })

  it("knows a plan that is too large for the log", async () => {
    const large = { ...planOf(files), description: "Very large. ".repeat(4000) }
    const planned = textAnswer(JSON.stringify(large))
    const turn = (request: Parameters<typeof subjectOf>[0]) => (subjectOf(request) === "plan" ? planned : undefined)
    const runId = await studio.start()
    let steps = 1
    await studio.execute(runId, modelFor(files, turn), { remainingMs: () => (steps-- > 0 ? 900_000 : 1000) })
    expect((await studio.eventsOf("node_finished"))[0]?.update).toHaveProperty("sha256")
    await deleteCheckpoints(studio.stores, studio.sid, runId, {
      signal: new AbortController().signal,
    })

    const second = modelFor(files, turn)
    await studio.execute(runId, second)
    expect(asked(second)).toEqual(["task_plan", ...files])
    expect(second.requests[0]?.messages[0]?.content).toContain(large.description)
    await expectWhole()
  })
})

describe("an executor that dies", () => {
  /** Kills the executor at the store's nth write. Then a successor takes over. */
  async function killedAt(nth: number, lastWrite: "lost" | "done") {
    const runId = await studio.start()
    const { on, writes } = mortal(studio.stores, nth, lastWrite)
    const first = modelFor(files)
    const outcome = await studio.execute(runId, first, { on }).then(
      () => "ended",
      () => "died",
    )
    const finishedBefore = (await studio.run(runId)).doneSteps.length
    const plannedBefore = (await studio.eventsOf("node_finished")).map(({ node }) => node)
    if (outcome === "ended") return { outcome, writes: writes() }

    const second = modelFor(files)
    await studio.execute(runId, second)
    const done = (await studio.eventsOf("run_completed")).length
    return { outcome, done, again: asked(second), finishedBefore, plannedBefore }
  }

  it.each(["lost", "done"] as const)(
    "at any of its writes (the last one %s) leaves a run that its successor ends, redoing nothing",
    async (lastWrite) => {
      for (let nth = BETWEEN_KILLS > 1 && lastWrite === "done" ? 3 : 1; ; nth += BETWEEN_KILLS) {
        const killed = await killedAt(nth, lastWrite)
        if (killed.outcome === "ended") {
          expect(nth).toBeGreaterThan(40)
          break
        }
        const { done, again = [], finishedBefore = 0, plannedBefore = [] } = killed
        const where = `killed at write ${nth}`
        expect(done, where).toBe(1)
        await expectWhole()
        const unfinished = files.slice(finishedBefore)
        const expected = [
          ...(plannedBefore.includes("planner") ? [] : ["plan"]),
          ...(plannedBefore.includes("architect") ? [] : ["task_plan"]),
          ...unfinished,
        ]
        expect(again, where).toEqual(again.length === 0 ? [] : expected)
        studio = await openStudio(studio.stores)
      }
    },
    120_000,
  )
})

describe("checkpoints of a run", () => {
  it("cost less than 4 KB a step over 50 files", async () => {
    const many = Array.from({ length: 50 }, (_, n) => `module-${n}.ts`)
    const runId = await studio.start()
    let bytes = 0
    const put: Records["put"] = (key, body, options) => {
      const size =
        JSON.stringify(body.value).length + (body.bytes?.length ?? 0) + key.partition.length + key.sort.length
      if (key.partition === checkpointPartition(studio.sid, runId)) bytes += size
      return studio.stores.records.put(key, body, options)
    }
    await studio.execute(runId, modelFor(many), {
      on: { ...studio.stores, records: { ...studio.stores.records, put } },
    })
    expect(await studio.run(runId)).toMatchObject({ status: "completed" })
    const steps = (await studio.eventsOf("node_started")).length
    expect(steps).toBe(53)
    expect(bytes / steps).toBeLessThan(4096)
    expect(bytes / steps).toBeGreaterThan(100)
  })
})
