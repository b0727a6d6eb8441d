import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createScriptedProvider, textAnswer } from "../../../fixtures/scripted-model.ts"
import { type ChatBench, openChatBench } from "./chat-bench.ts"

let bench: ChatBench
beforeEach(async () => {
  bench = await openChatBench()
})
afterEach(() => bench.close())

const answered = () => createScriptedProvider(() => textAnswer("Yes."))

describe("a turn whose run ends before the turn is settled", () => {
  it("has the reason in the conversation if the run failed", async () => {
    const runId = await bench.ask("Is it?")
    const failure = { duration_ms: 1, error_type: "AppError", message: "The run stopped 5 times.", hint: "Try again." }
    await bench.decide(() => [{ type: "run_failed", run_id: runId, agent_id: "chat", ...failure }])
    expect(await bench.messages()).toMatchObject([
      { role: "user", content: "Is it?" },
      { role: "assistant", content: "", result: { error: "The run stopped 5 times." } },
    ])
  })

  it("is marked as stopped if it was cancelled before it began", async () => {
    await bench.cancel(await bench.ask("Is it?"))
    expect(await bench.messages()).toMatchObject([
      { role: "user" },
      { role: "assistant", content: "[stopped]", result: { error: null, cancelled: true } },
    ])
  })

  it("has one answer if it was settled first", async () => {
    await bench.execute(await bench.ask("Is it?"), answered())
    const failing = createScriptedProvider(() => new Error("No."))
    await bench.execute(await bench.ask("And now?"), failing)
    expect((await bench.messages()).map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"])
  })
})
