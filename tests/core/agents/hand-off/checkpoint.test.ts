import { condensed, readCheckpoint, summaryOf } from "@switchyard/core/agents/hand-off/checkpoint"
import type { LogEvent } from "@switchyard/core/events"
import { describe, expect, it } from "vitest"

async function* logOf(events: object[]): AsyncGenerator<LogEvent> {
  yield* events.map((event, at) => ({ seq: at + 4, ...event }) as LogEvent)
}

const tool = (tool: string, more: object) => ({ type: "tool_call_started", tool_call_id: "1", tool, ...more })

it("says what was made, changed, run and said, and what was to come", async () => {
  const events = [
    tool("write", { path: "new.ts" }),
    tool("edit", { path: "new.ts" }),
    tool("edit", { path: "old.ts" }),
    tool("write", { path: "old.ts" }),
    tool("read", { path: "seen.ts" }),
    tool("bash", { command: "ls" }),
    ...Array.from({ length: 12 }, (_, at) => tool("bash", { command: `npm test -- ${at} ${"x".repeat(200)}` })),
    { type: "progress", summary: "The parser works.", next_step: "Test the printer." },
    { type: "agent_session_opened", native_session_id: "native" },
    { type: "assistant_message", blocks: [{ kind: "thinking", content: "hm" }] },
    { type: "assistant_message", blocks: [{ kind: "text", content: "I do the printer now." }] },
  ]
  const checkpoint = await readCheckpoint({ task: "Write a printer.", runId: "run_2" }, logOf(events))
  expect(condensed(checkpoint)).toMatchObject({
    ...{ original_task: "Write a printer.", files_created: ["new.ts"], files_changed: ["old.ts"] },
    ...{
      remaining_work: "Test the printer.",
      provider_session_id: "native",
      replaces_seq_range: [4, 3 + events.length],
    },
  })
  expect(checkpoint.keyCommands).toHaveLength(10)
  for (const command of checkpoint.keyCommands) expect(command.length).toBeLessThanOrEqual(100)
  expect(summaryOf(checkpoint)).toMatch(/`new\.ts`[\s\S]*`old\.ts`[\s\S]*parser works[\s\S]*I do the printer now\./)
})

it.each([
  ["npm test", true],
  ["echo 'one half' >> notes.md && rm old.txt", true],
  ["sed -i s/a/b/ a.ts", true],
  ["cat > a.ts <<'END'\nconst a = () => 1\nEND", true],
  ["git mv a.ts b.ts", true],
  ["ls -la 2>/dev/null", false],
  ["grep -rn '=> ' src 2>&1 | head", false],
  ["cat a.ts", false],
])("names a command only if it builds, tests or changes something: %s", async (command, isNamed) => {
  const { keyCommands } = await readCheckpoint(undefined, logOf([tool("bash", { command })]))
  expect(keyCommands.length).toBe(isNamed ? 1 : 0)
})

it("says so where nothing was done", async () => {
  expect(summaryOf(await readCheckpoint(undefined, logOf([])))).toMatch(/^Nothing was done yet/)
})

describe("the requests in a checkpoint", () => {
  const said = (run_id: string, content: string, source = "task") => ({ type: "user_message", run_id, content, source })
  const begun = (run_id: string) => ({ type: "agent_turn_started", run_id })
  const events = [
    ...[said("run_1", "Write a\n parser."), begun("run_1"), said("run_1", "Finish it.", "continuation")],
    ...[said("run_2", "Write a printer."), begun("run_2"), said("run_2", "Use tabs.", "api"), begun("run_2")],
  ]

  it("are those before the current task, and what people said since it began", async () => {
    const checkpoint = await readCheckpoint({ task: "Write a printer.", runId: "run_2" }, logOf(events))
    expect(checkpoint).toMatchObject({ originalTask: "Write a printer.", requests: ["Write a parser.", "Use tabs."] })
    expect(summaryOf(checkpoint)).toMatch(/- Write a parser\.\n- Use tabs\./)
  })

  it("are all of them if the work precedes the task", async () => {
    const checkpoint = await readCheckpoint(undefined, logOf(events))
    expect(checkpoint.requests).toEqual(["Write a parser.", "Write a printer.", "Use tabs."])
    expect(checkpoint.originalTask).toBe("Write a\n parser.\n\nWrite a printer.\n\nUse tabs.")
  })
})
