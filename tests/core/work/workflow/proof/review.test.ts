import { beginStream, projectEvent } from "@switchyard/core/work/workflow/stream/projection"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { textAnswer, toolAnswer } from "../../../../fixtures/scripted-model.ts"
import { lastMessage, modelFor, subjectOf } from "../model.ts"
import { openStudio, type Studio } from "../studio.ts"

const files = ["a.ts", "b.ts", "README.md"]

let studio: Studio
beforeEach(async () => {
  studio = await openStudio()
})
afterEach(() => studio.close())

/** Creates a model whose review always finds something in `a.ts`. */
function neverContent() {
  const findings = [{ file: "a.ts", missing: "It has no greeting." }]
  return modelFor(files, (request) => {
    return subjectOf(request) === "review" ? textAnswer(JSON.stringify({ findings })) : undefined
  })
}

describe("a review", () => {
  it("is made once, though its run is handed over before anything is mended", async () => {
    const runId = await studio.start()
    const first = neverContent()
    // Enough time for the planner, the architect, three files and the review.
    let steps = 6
    await studio.execute(runId, first, {
      review: true,
      filesAtOnce: 1,
      remainingMs: () => (steps-- > 0 ? 900_000 : 1000),
    })
    expect(await studio.run(runId)).toMatchObject({ status: "queued" })
    expect(first.requests.map(subjectOf)).toEqual(["plan", "task_plan", ...files, "review"])
    const second = neverContent()
    await studio.execute(runId, second, { review: true })
    expect(await studio.run(runId)).toMatchObject({ status: "completed" })
    expect(second.requests.map(subjectOf)).toEqual(["a.ts"])
    expect(second.requests.map((request) => lastMessage(request).content)).toEqual([
      expect.stringContaining("- It has no greeting."),
    ])
    expect(await studio.eventsOf("files_reviewed")).toHaveLength(1)
  })

  it.each([
    [true, undefined, true],
    [true, false, true],
    [false, true, false],
    [undefined, true, true],
    [undefined, null, true],
  ])("is made as the request says, else the server: %s, %s", async (ofRequest, ofServer, isMade) => {
    const runId = await studio.start({ review: ofRequest })
    const model = modelFor(files)
    await studio.execute(runId, model, { review: ofServer })
    expect(await studio.run(runId)).toMatchObject({ status: "completed" })
    expect(model.requests.map(subjectOf).includes("review")).toBe(isMade)
  })

  it("begins with what the coder's visits begin with, which the provider has cached", async () => {
    const runId = await studio.start()
    const model = modelFor(files)
    await studio.execute(runId, model, { review: true, filesAtOnce: 1 })
    const review = model.requests.find((request) => subjectOf(request) === "review")
    const last = model.requests.find((request) => subjectOf(request) === "README.md")
    const [shown, before] = [review, last].map((request) => request?.messages[0])
    if (shown?.role !== "user" || before?.role !== "user") throw new Error("There was no review.")
    expect(review?.system).toBe(last?.system)
    expect(review?.tools?.map(({ name }) => name)).toEqual(last?.tools?.map(({ name }) => name))
    expect(shown.prefix?.slice(0, before.prefix?.length)).toEqual(before.prefix)
    expect(shown.prefix?.join()).toContain("// README.md")
  })

  it("answers once more if the model calls a tool instead", async () => {
    const runId = await studio.start()
    const answers = [toolAnswer("read_file", { path: "a.ts" }), textAnswer('{"findings": []}')]
    const model = modelFor(files, (request) => (subjectOf(request) === "review" ? answers.shift() : undefined))
    await studio.execute(runId, model, { review: true })
    expect(await studio.run(runId)).toMatchObject({ status: "completed" })
    expect(await studio.eventsOf("files_reviewed")).toMatchObject([{ finding_count: 0 }])
    expect(answers).toEqual([])
  })

  it("takes no step from those that a run may take", async () => {
    const runId = await studio.start({ recursion_limit: 6 })
    await studio.execute(runId, neverContent(), { review: true, filesAtOnce: 1 })
    expect(await studio.run(runId)).toMatchObject({ status: "completed" })
  })

  it("is a visit of the coder in the stream, and its run goes on to the end", async () => {
    const runId = await studio.start()
    await studio.execute(runId, neverContent(), { review: true, filesAtOnce: 1 })
    let view = beginStream(runId, "default")
    const frames = (await studio.events()).flatMap((event) => {
      const told = projectEvent(view, event)
      view = told.view
      return told.frames
    })
    const coder = frames
      .filter(({ data, event }) => data.node === "coder" && /^on_node/.test(event))
      .map(({ event }) => event)
    // Three files, the review, the repaired file, and the end.
    expect(coder).toEqual(Array.from({ length: 6 }, () => ["on_node_start", "on_node_end"]).flat())
    expect(frames.at(-1)?.event).toBe("run_complete")
  })
})
