import { finishToolCall } from "@switchyard/core/models/chat-chunks"
import type { ModelEvent, ModelRequest } from "@switchyard/core/models/provider"
import { describe, expect, it } from "vitest"
import { createScriptedProvider, type ScriptedAnswer, textAnswer } from "../../../fixtures/scripted-model.ts"
import { openChatBench } from "../chat/chat-bench.ts"
import { openTeamBench } from "../teams/team-bench.ts"
import { isCoordinator, teamAnswer } from "../teams/team-model.ts"
import { modelFor, subjectOf } from "../workflow/model.ts"
import { openStudio } from "../workflow/studio.ts"

/** Returns a call as a provider streams it, with its arguments as text. */
function wireCall(name: string, rawArguments: string): ScriptedAnswer {
  const call = finishToolCall({ id: "call_1", name, rawArguments }, { isCut: false })
  return [
    { type: "tool_call", call },
    { type: "end", stopReason: "tool_calls" },
  ]
}

type Habit = (path: string, content: string) => ScriptedAnswer

const json = (path: string, content: string) => JSON.stringify({ path, content })
const habits: Record<string, Habit> = {
  "puts a namespace before the tool's name": (...file) => wireCall("functions.write_file", json(...file)),
  "puts a channel after the tool's name": (...file) => wireCall("write_file<|channel|>commentary", json(...file)),
  "calls the tool create_file": (...file) => wireCall("create_file", json(...file)),
  "encodes the arguments as JSON twice": (...file) => wireCall("write_file", JSON.stringify(json(...file))),
  "puts the call into its own arguments": (...file) =>
    wireCall("write_file", `{"name": "write_file", "arguments": ${json(...file)}}`),
  "names the arguments as another tool does": (path, content) =>
    wireCall("write_file", JSON.stringify({ file_path: path, file_text: content })),
  "writes Qwen's XML in its text": (path, content) =>
    textAnswer(
      `<tool_call>\n<function=write_file>\n<parameter=path>\n${path}\n</parameter>\n<parameter=content>\n${content}\n</parameter>\n</function>\n</tool_call>`,
    ),
  "writes the call as JSON in its text": (...file) =>
    textAnswer(`<tool_call>\n{"name": "write_file", "arguments": ${json(...file)}}\n</tool_call>`),
}

describe.each(Object.entries(habits))("a model that %s", (_, habit) => {
  it("writes a file of a build in one call", async () => {
    const studio = await openStudio()
    try {
      const model = modelFor(["a.md"], (request) =>
        subjectOf(request) === "a.md" ? habit("a.md", "# A\n") : undefined,
      )
      await studio.execute(await studio.start(), model)
      expect(await studio.files()).toEqual({ "a.md": "# A\n" })
      expect(model.requests.map(subjectOf)).toEqual(["plan", "task_plan", "a.md"])
    } finally {
      await studio.close()
    }
  })

  it("writes a file of a chat in one call", async () => {
    const bench = await openChatBench()
    try {
      const model = createScriptedProvider(() => habit("a.md", "# A\n"))
      await bench.execute(await bench.ask("Write a.md"), model)
      expect(await bench.files()).toEqual({ "a.md": "# A\n" })
      expect(model.requests).toHaveLength(1)
    } finally {
      await bench.close()
    }
  })

  it("writes a file of a team in one call", async () => {
    const bench = await openTeamBench()
    try {
      const written = (call: ModelEvent) => call.type === "tool_call" && call.call.name === "write_file"
      const answer = (request: ModelRequest): ScriptedAnswer => {
        const usual = teamAnswer(["a"], request)
        return !isCoordinator(request.tools) && usual.some(written) ? habit("a.txt", "This is a.\n") : usual
      }
      const model = createScriptedProvider(answer)
      await bench.start()
      await bench.drive(model)
      expect((await bench.files())["a.txt"]).toBe("This is a.\n")
      // One request writes the file, and one publishes it.
      expect(model.requests.filter(({ tools }) => !isCoordinator(tools))).toHaveLength(2)
    } finally {
      await bench.close()
    }
  })
})

describe("a model that leaves out the path", () => {
  it("writes the only file that it may mean", async () => {
    const studio = await openStudio()
    try {
      const model = modelFor(["a.md"], (request) =>
        subjectOf(request) === "a.md" ? wireCall("write_file", '{"content": "# A\\n"}') : undefined,
      )
      await studio.execute(await studio.start(), model)
      expect(await studio.files()).toEqual({ "a.md": "# A\n" })
      expect(model.requests).toHaveLength(3)
    } finally {
      await studio.close()
    }
  })
})

describe("a model that repeats a fault", () => {
  it("is not asked again after the third time", async () => {
    const studio = await openStudio()
    try {
      const model = modelFor(["a.md"], (request) =>
        subjectOf(request) === "a.md" ? wireCall("save_everything", '{"path": "a.md"}') : undefined,
      )
      await studio.execute(await studio.start(), model)
      expect((await studio.eventsOf("run_failed"))[0]?.message).toContain("There is no tool save_everything")
      expect(model.requests.map(subjectOf)).toEqual(["plan", "task_plan", "a.md", "a.md", "a.md"])
    } finally {
      await studio.close()
    }
  })
})
