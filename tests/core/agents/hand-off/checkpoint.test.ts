import { condensed, readCheckpoint, summaryOf } from "@switchyard/core/agents/hand-off/checkpoint"
import type { LogEvent } from "@switchyard/core/events"
import { expect, it } from "vitest"

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
  const checkpoint = await readCheckpoint("Write a printer.", logOf(events))
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

it("says so where nothing was done", async () => {
  expect(summaryOf(await readCheckpoint("x", logOf([])))).toMatch(/^Nothing was done yet/)
})
