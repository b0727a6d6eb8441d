import { ModelError } from "@switchyard/core/models/errors"
import type { ModelProvider } from "@switchyard/core/models/provider"
import { blockedSteps, nextWave, orderSteps } from "@switchyard/core/work/workflow/plan/step-order"
import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type ScriptedAnswer, textAnswer, toolAnswer } from "../../../fixtures/scripted-model.ts"
import { contentOf, modelFor, planOf, subjectOf, tasksOf } from "./model.ts"
import { openStudio, type Studio } from "./studio.ts"

/** Returns a plan with these dependencies between files. */
function planWith(dependencies: Record<string, string[]>) {
  const plan = planOf(Object.keys(dependencies))
  return { ...plan, files: plan.files.map((file) => ({ ...file, depends_on: dependencies[file.path] ?? [] })) }
}

const idle = [textAnswer("Done."), textAnswer("Really done."), textAnswer("Done."), textAnswer("Really done.")]

describe("the order of steps", () => {
  const stepsOf = (dependencies: Record<string, string[]>) =>
    orderSteps(tasksOf(Object.keys(dependencies)).implementation_steps, planWith(dependencies))
  const pathsOf = (steps: { file_path: string }[]) => steps.map(({ file_path }) => file_path)

  it("is that of the tasks where the plan doesn't say what depends on what", () => {
    const { implementation_steps } = tasksOf(["a", "b"])
    const steps = orderSteps(implementation_steps, planOf(["a", "b"]))
    expect(pathsOf(nextWave(steps, { finished: [], failed: [] }, 3))).toEqual(["a"])
    expect(pathsOf(nextWave(steps, { finished: ["a"], failed: [] }, 3))).toEqual(["b"])
    expect(pathsOf(nextWave(steps, { finished: [], failed: [{ path: "a" }] }, 3))).toEqual(["b"])
  })

  it("has independent files side by side, and the README after all others", () => {
    const steps = stepsOf({ a: [], b: ["a"], c: [], d: [], "README.md": [] })
    expect(pathsOf(nextWave(steps, { finished: [], failed: [] }, 3))).toEqual(["a", "c", "d"])
    expect(pathsOf(nextWave(steps, { finished: ["a", "c"], failed: [] }, 3))).toEqual(["b", "d"])
    expect(pathsOf(nextWave(steps, { finished: ["b", "a", "c", "d"], failed: [] }, 3))).toEqual(["README.md"])
    expect(pathsOf(nextWave(steps, { finished: ["c", "d"], failed: [{ path: "a" }] }, 3))).toEqual(["README.md"])
  })

  it("does each step once, after what it needs, and leaves only what needs a failed one", () => {
    const graph = fc.array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: 1, maxLength: 12 }).map((needs) =>
      Object.fromEntries(
        needs.map((of, index) => {
          const earlier = index === 0 ? [] : of.map((other) => `f${other % index}`)
          return [`f${index}`, [...new Set(earlier)]]
        }),
      ),
    )
    fc.assert(
      fc.property(
        graph,
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.nat({ max: 11 })),
        (dependencies, atOnce, fails) => {
          const steps = stepsOf(dependencies)
          const finished: string[] = []
          const failed: { path: string }[] = []
          for (;;) {
            const wave = nextWave(steps, { finished, failed }, atOnce)
            if (wave.length === 0) break
            expect(wave.length).toBeLessThanOrEqual(atOnce)
            for (const { needs } of wave) expect(needs.every((path) => finished.includes(path))).toBe(true)
            for (const { file_path, index } of wave) {
              if (fails.includes(index)) failed.push({ path: file_path })
              else finished.push(file_path)
            }
          }
          const blocked = blockedSteps(steps, { finished, failed })
          for (const { needs } of blocked) expect(needs.length).toBeGreaterThan(0)
          const all = [
            ...finished,
            ...pathsOf(failed.map(({ path }) => ({ file_path: path }))),
            ...blocked.map(({ path }) => path),
          ]
          expect(all.toSorted()).toEqual(Object.keys(dependencies).toSorted())
        },
      ),
    )
  })
})

describe("files that don't depend on one another", () => {
  let studio: Studio
  beforeEach(async () => {
    studio = await openStudio()
  })
  afterEach(() => studio.close())

  /** Creates a model with this plan. Each file's answer waits for the promise of `onAsked`, if any. */
  function held(dependencies: Record<string, string[]>, onAsked: (path: string) => Promise<void> | undefined) {
    const paths = Object.keys(dependencies)
    return modelFor(paths, (request) => {
      const subject = subjectOf(request)
      if (subject === "plan") return textAnswer(JSON.stringify(planWith(dependencies)))
      if (subject === "task_plan") return undefined
      const wait = onAsked(subject)
      const write = toolAnswer("write_file", { path: subject, content: contentOf(subject) })
      return wait ? ([wait, ...(write as [])] as ScriptedAnswer) : undefined
    })
  }

  it("are written side by side, and begin alike", async () => {
    const asked: string[] = []
    const allAsked = Promise.withResolvers<void>()
    const model = held({ a: [], b: [], c: [], d: ["a"] }, (path) => {
      asked.push(path)
      if (asked.length === 3) allAsked.resolve()
      return path === "d" ? undefined : allAsked.promise
    })
    const runId = await studio.start()
    await studio.execute(runId, model)
    expect(await studio.run(runId)).toMatchObject({ status: "completed" })
    expect(Object.keys(await studio.files())).toEqual(["a", "b", "c", "d"])
    const first = model.requests
      .slice(2, 5)
      .map(({ messages }) => (messages[0]?.role === "user" ? messages[0].prefix : []))
    expect(first[1]).toEqual(first[0])
    expect(first[2]).toEqual(first[0])
    const updates = (await studio.eventsOf("node_finished")).flatMap(({ node, update }) =>
      node === "coder" && "current_step_idx" in update ? [update.current_step_idx] : [],
    )
    expect(updates).toEqual([1, 2, 3, 4, 4])
    const started = (await studio.eventsOf("node_started")).filter(({ node }) => node === "coder")
    expect(started.map(({ iteration, file_path }) => [iteration, file_path])).toEqual([
      [1, "a"],
      [2, "b"],
      [3, "c"],
      [4, "d"],
      [5, undefined],
    ])
  })

  it("go one after the other where only one may", async () => {
    let open = 0
    const model = held({ a: [], b: [], c: [] }, () => {
      expect(++open).toBe(1)
      return Promise.resolve().then(() => {
        open--
      })
    })
    const runId = await studio.start()
    await studio.execute(runId, model, { filesAtOnce: 1 })
    expect(await studio.run(runId)).toMatchObject({ status: "completed" })
    expect(model.requests.slice(2).map(subjectOf)).toEqual(["a", "b", "c"])
  })

  it("become fewer at once when the provider's limit is met", async () => {
    let limited = false
    const waves: string[] = []
    const dependencies = { a: [], b: [], c: [], d: [], e: [], f: [] }
    const paths = Object.keys(dependencies)
    const model = modelFor(paths, (request) => {
      const subject = subjectOf(request)
      if (subject === "plan") return textAnswer(JSON.stringify(planWith(dependencies)))
      if (subject !== "task_plan") waves.push(subject)
      if (subject !== "a" || limited) return undefined
      limited = true
      return new ModelError("rate_limit", "Slow down.")
    })
    const runId = await studio.start()
    await studio.execute(runId, model, { filesAtOnce: 3 })
    expect(await studio.run(runId)).toMatchObject({ status: "completed" })
    const events = await studio.events()
    const open: number[] = []
    let now = 0
    for (const { type, node } of events as { type: string; node?: string }[]) {
      if (type === "node_started" && node === "coder") open.push(++now)
      if (type === "node_finished" && node === "coder") now--
    }
    expect(open).toEqual([1, 2, 3, 1, 1, 1, 1])
  })

  /**
   * Creates a model for nine independent files that refuses the first `refusals` requests for them, five of them at
   * once.
   */
  function limitedMind(refusals: number) {
    const dependencies = Object.fromEntries(Array.from("abcdefghi", (path) => [path, []]))
    const together = Promise.withResolvers<void>()
    let asked = 0
    const model = held(dependencies, () => {
      if (++asked === 5) together.resolve()
      if (asked > refusals) return undefined
      const refused = together.promise.then(() => {
        throw new ModelError("rate_limit", "Slow down.", { retryAfterMs: 1000 })
      })
      refused.catch(() => {})
      return refused
    })
    const filesAsked = () => model.requests.slice(2).map(subjectOf)
    return { model, paths: Object.keys(dependencies), refused: together.promise, filesAsked }
  }

  it("are written five at once, pause together at the provider's limit, and are let in one by one then", async () => {
    const { model, paths, filesAsked } = limitedMind(7)
    const runId = await studio.start()
    await studio.execute(runId, model)
    expect(await studio.run(runId)).toMatchObject({ status: "completed" })
    expect(await studio.files()).toEqual(Object.fromEntries(paths.map((path) => [path, contentOf(path)])))
    // Five requests at once, two more refusals of the first file, and no refusal after that.
    expect(filesAsked()).toEqual([...paths.slice(0, 5), "a", "a", "a", ...paths.slice(1)])
    const retried = await studio.eventsOf("model_retried")
    expect(retried.map(({ attempt, wait_ms }) => [attempt, wait_ms])).toEqual([
      ...paths.slice(0, 5).map(() => [1, 1000]),
      [2, 1000],
      [3, 1000],
    ])
    const told = (await studio.eventsOf("node_finished")).filter(({ node }) => node === "coder")
    expect(told.length).toBe(paths.length + 1)
  })

  it("are all written by whoever takes over a run that was stopped in such a pause, and none of them twice", async () => {
    const stopping = new AbortController()
    const { model, paths, refused } = limitedMind(Number.POSITIVE_INFINITY)
    const runId = await studio.start()
    const executing = studio.execute(runId, model, { signal: stopping.signal })
    await refused
    stopping.abort(new Error("The worker must stop."))
    await executing
    expect(await studio.run(runId)).toMatchObject({ status: "queued" })
    await studio.execute(runId, limitedMind(0).model)
    expect(await studio.run(runId)).toMatchObject({ status: "completed" })
    expect(Object.keys(await studio.files())).toEqual(paths)
    const commits = await studio.eventsOf("workspace_committed")
    expect(commits.map(({ step }) => step).toSorted()).toEqual(paths.map((path, index) => `coder:${index}:${path}`))
  })

  it("are written even if another one isn't, and the run fails with the list, and what there is", async () => {
    const dependencies = { a: [], b: ["a"], c: [], d: ["b"], "README.md": [] }
    const answers = [...idle]
    const model = modelFor(Object.keys(dependencies), (request) => {
      const subject = subjectOf(request)
      if (subject === "plan") return textAnswer(JSON.stringify(planWith(dependencies)))
      return subject === "a" ? answers.shift() : undefined
    })
    const runId = await studio.start()
    await studio.execute(runId, model)
    expect(await studio.run(runId)).toMatchObject({ status: "failed" })
    expect(Object.keys(await studio.files())).toEqual(["README.md", "c"])
    expect((await studio.eventsOf("run_failed"))[0]).toMatchObject({
      error_type: "incomplete",
      hint: expect.stringContaining("Resume the run"),
      message:
        "3 of 5 files couldn't be written.\na: The model didn't write the file a. Its last answer couldn't be used: It saved nothing.\nb: needs a.\nd: needs b.",
    })
    const failed = (await studio.eventsOf("node_finished")).map(({ update }) =>
      "failed" in update ? update : undefined,
    )
    expect(failed.filter((update) => update !== undefined)).toEqual([
      {
        file_path: "a",
        failed: "The model didn't write the file a. Its last answer couldn't be used: It saved nothing.",
        current_step_idx: expect.any(Number),
        total_steps: 5,
      },
    ])
  })

  it("are not written again by a run that resumes one that failed, nor planned again", async () => {
    const dependencies = { a: [], b: ["a"], c: [] }
    const answers = [...idle]
    const plans = (request: Parameters<typeof subjectOf>[0]) =>
      subjectOf(request) === "plan" ? textAnswer(JSON.stringify(planWith(dependencies))) : undefined
    const failing = modelFor(Object.keys(dependencies), (request) =>
      subjectOf(request) === "a" ? answers.shift() : plans(request),
    )
    const first = await studio.start()
    await studio.execute(first, failing)
    expect(Object.keys(await studio.files())).toEqual(["c"])

    const resumes = async (runId: string) => ({ run_id: runId, first_seq: (await studio.run(runId)).firstSeq })
    const second = await studio.start({ resumes: [await resumes(first)] })
    const worse = modelFor(Object.keys(dependencies), () => textAnswer("Done."))
    await studio.execute(second, worse)
    expect(await studio.run(second)).toMatchObject({ status: "failed" })

    const third = await studio.start({ resumes: [await resumes(first), await resumes(second)] })
    const better = modelFor(Object.keys(dependencies))
    await studio.execute(third, better)
    expect(await studio.run(third)).toMatchObject({ status: "completed" })
    expect(better.requests.map(subjectOf)).toEqual(["a", "b"])
    expect(Object.keys(await studio.files())).toEqual(["a", "b", "c"])
    const done = (await studio.eventsOf("node_finished")).at(-1)
    expect(done?.update).toEqual({ status: "DONE", current_step_idx: 3, total_steps: 3 })
  })

  it("begin once the first response has begun, if the provider caches prompts", async () => {
    const plan = textAnswer(JSON.stringify(planWith({ a: [], b: [], c: [] })))
    const model = modelFor(["a", "b", "c"], (request) => (subjectOf(request) === "plan" ? plan : undefined))
    let begun: (string | undefined)[] = []
    const provider: ModelProvider = {
      ...model,
      async *stream(request, options) {
        if (subjectOf(request) === "a") {
          // Enough time for other visits to begin.
          for (let reads = 0; reads < 30; reads++) {
            begun = (await studio.eventsOf("node_started")).flatMap(({ file_path }) => file_path ?? [])
          }
          options.onAccepted?.()
        }
        yield* model.stream(request, options)
      },
    }
    await studio.execute(await studio.start({}, "groq/test"), provider)
    expect(begun).toEqual(["a"])
    expect(Object.keys(await studio.files())).toEqual(["a", "b", "c"])
  })
})
