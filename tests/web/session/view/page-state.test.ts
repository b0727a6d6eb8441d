import { describe, expect, it } from "vitest"
import { emptyData } from "../../../../packages/web/src/session/stream/session-data.ts"
import { emptyView } from "../../../../packages/web/src/session/stream/view.ts"
import {
  notificationText,
  type PageState,
  pageIcon,
  pageState,
  pageTitle,
} from "../../../../packages/web/src/session/view/page-state.ts"

describe("the state of a session on its tab", () => {
  it("is unknown without a connection, and needs a person while an agent asks", () => {
    expect(pageState(emptyData())).toBe("idle")
    expect(pageState({ ...emptyData(), connection: { state: "reconnecting", since: 0, retryAt: 1 } })).toBe("offline")
    const question = { questionId: "q", runId: null, agentId: "main", content: undefined, isKept: false }
    const { agent } = emptyView
    const live = { ...emptyView, agents: { main: { run: null, agent: { ...agent, questions: [question] } } } }
    expect(pageState({ ...emptyData(), live })).toBe("needs_you")
  })

  it("comes after the name in the title", () => {
    expect(pageTitle("List", "working")).toBe("List · Working · Switchyard")
    expect(pageTitle("List", "idle")).toBe("List · Switchyard")
  })

  it("has a dot of its own colour", () => {
    const states: PageState[] = ["working", "done", "warned", "failed", "offline"]
    expect(new Set(states.map(pageIcon)).size).toBe(states.length)
    expect(pageIcon("idle")).toBeNull()
  })

  it.each([
    ["working", "done", "Done."],
    ["working", "warned", "Done with a warning."],
    ["working", "failed", "Failed. No key."],
    ["working", "needs_you", "Waiting for you."],
    ["idle", "needs_you", "Waiting for you."],
    ["needs_you", "done", "Done."],
    ["working", "idle", null],
    ["idle", "done", null],
    ["done", "working", null],
    ["done", "done", null],
  ] as const)("that was %s and is %s is notified of as %j", (before, after, text) => {
    expect(notificationText(before, after, "No key.")).toBe(text)
  })
})
