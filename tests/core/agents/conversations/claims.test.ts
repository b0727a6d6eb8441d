import { createWrittenFiles, unsupportedClaims } from "@switchyard/core/agents/conversations/claims"
import type { NewEvent } from "@switchyard/core/events"
import { describe, expect, it } from "vitest"

describe("claimed files", () => {
  const changed = ["src/a.ts", "docs/new name.md", "sub", "/home/other/b.ts"]

  it.each([
    ...["src/a.ts", "./src/a.ts", "`src/a.ts`", "- src/a.ts", "a.ts", "src", "src/", "src/*.ts", "src/{a,b}.ts"],
    ...["src/a.ts (new)", "src/a.ts: adds a function", "old.ts -> src/a.ts", "src/a.ts:12", "src/a.ts, src/b.ts"],
    ...["docs/new name.md", "sub/inner.ts", "/home/other/b.ts", "", "none", "N/A", "info_only", "No files changed"],
  ])("are known: %s", (claim) => {
    expect(unsupportedClaims([claim], changed)).toEqual([])
  })

  it.each(["src/b.ts", "b/src/a.ts", "rc/a.ts", "src/a", "other/*.ts", "../src/c.ts", "nonexistent.md", "s"])(
    "are doubted: %s",
    (claim) => {
      expect(unsupportedClaims([claim, "src/a.ts"], changed)).toEqual([claim])
    },
  )
})

describe("files that an agent's tools wrote", () => {
  const started = (id: string, tool: string, path: string) =>
    ({ type: "tool_call_started", tool_call_id: id, tool, name: tool, path }) as NewEvent
  const finished = (id: string, exit_code: number) =>
    ({ type: "tool_call_finished", tool_call_id: id, exit_code, duration_ms: 1, llm_summary: "" }) as NewEvent

  it("are those of calls that succeeded and that no rule undid", () => {
    const written = createWrittenFiles()
    written.see([started("1", "write", "a"), started("2", "edit", "b"), started("3", "read", "c"), finished("1", 0)])
    written.see([finished("2", 1), finished("3", 0), started("4", "edit", "d"), finished("4", 0)])
    expect(written.paths()).toEqual(["a", "d"])
    written.see([{ type: "agent_changes_reverted", files: ["d"], file_count: 1, reason: "a rule" }])
    expect(written.paths()).toEqual(["a"])
  })
})
