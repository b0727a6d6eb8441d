import { ModelError } from "@switchyard/core/models/errors"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { textAnswer } from "../../../fixtures/scripted-model.ts"
import { modelFor, subjectOf } from "./model.ts"
import { openStudio, type Studio } from "./studio.ts"

let studio: Studio
beforeEach(async () => {
  studio = await openStudio()
})
afterEach(() => studio.close())

const FILES = ["a.ts", "b.ts", "c.ts"]
const down = () => new ModelError("connection_error", "The connection failed.")

describe("a build whose provider is down", () => {
  it("is continued by the next model with a key, once for all calls, and the log says by which", async () => {
    const first = modelFor(FILES, (request) => (/\.ts$/.test(subjectOf(request)) ? down() : undefined))
    const [second, third] = [modelFor(FILES, down), modelFor(FILES)]
    const runId = await studio.start()
    await studio.execute(runId, first, { fallbacks: { "a/no-key": null, "b/down": second, "c/up": third } })
    expect(await studio.run(runId)).toMatchObject({ status: "completed" })
    const replaced = await studio.eventsOf("model_replaced")
    expect(new Set(replaced.map(({ to_model }) => to_model))).toEqual(new Set(["b/down", "c/up"]))
    expect(replaced.every(({ reason }) => reason === "The connection failed.")).toBe(true)
    expect(third.requests.map(({ model }) => model)).toEqual(Array(third.requests.length).fill("up"))
    const used = await studio.eventsOf("model_usage")
    expect(used.map(({ node, model }) => [node, model])).toEqual([
      ["planner", "scripted/test"],
      ["architect", "scripted/test"],
      ...FILES.map(() => ["coder", "c/up"]),
    ])
    // Later calls don't try the unavailable provider again.
    const attempts = 5
    expect(first.requests.length).toBeLessThanOrEqual(2 + attempts * FILES.length)
    expect(second.requests.length).toBeLessThanOrEqual(attempts * FILES.length)
  })

  it("continues an answer that broke off, and drops its beginning", async () => {
    const half = () => {
      const broken = Promise.reject(down())
      broken.catch(() => undefined)
      return [{ type: "text" as const, text: "{ half" }, broken]
    }
    const runId = await studio.start()
    await studio.execute(runId, modelFor(FILES, half), { fallbacks: { "b/up": modelFor(FILES) } })
    expect(await studio.run(runId)).toMatchObject({ status: "completed", model: "scripted/test" })
  })

  it("fails as before without a model that takes over, or if the request is at fault", async () => {
    const alone = await studio.start()
    await studio.execute(alone, modelFor(FILES, down))
    expect(await studio.run(alone)).toMatchObject({ status: "failed" })
    const other = modelFor(FILES)
    const refused = await studio.start()
    const refusing = modelFor(FILES, () => new ModelError("auth_error", "The key is wrong."))
    await studio.execute(refused, refusing, { fallbacks: { "b/up": other } })
    expect(await studio.run(refused)).toMatchObject({ status: "failed" })
    expect(other.requests).toEqual([])
    expect(await studio.eventsOf("model_replaced")).toEqual([])
  })

  it("doesn't send one provider's own content to another", async () => {
    const raw = { thinking: "signed" }
    const first = modelFor(["a.ts"], (request) => {
      if (subjectOf(request) !== "a.ts") return undefined
      if (request.messages.length > 1) return down()
      return [...textAnswer("Let me think.").slice(0, -1), { type: "end", stopReason: "end", raw }]
    })
    const other = modelFor(["a.ts"])
    const runId = await studio.start()
    await studio.execute(runId, first, { fallbacks: { "b/up": other } })
    expect(await studio.run(runId)).toMatchObject({ status: "completed" })
    expect(first.requests.some(({ messages }) => JSON.stringify(messages).includes("signed"))).toBe(true)
    expect(JSON.stringify(other.requests)).not.toContain("signed")
  })
})
