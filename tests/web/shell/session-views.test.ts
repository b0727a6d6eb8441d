import { describe, expect, it } from "vitest"
import { emptyView, reduceView } from "../../../packages/web/src/session/stream/view.ts"
import { viewsOf } from "../../../packages/web/src/shell/session/session-views.ts"
import { foldOf, type Told } from "../session/stream/fold.ts"

const viewAfter = foldOf(reduceView, emptyView)
const run = (kind: string, agent_id = "main"): Told => [
  "run_created",
  { run_id: `run_${kind}_${agent_id}`, agent_id, kind, model: "m", input: { user_prompt: "x" } },
]
const tabsAfter = (...told: Told[]): string[] => {
  const { runKinds, chat, worktrees, hasTeamPrograms } = viewAfter(...told)
  const hasChanges = Object.values(worktrees).some((work) => work.hasChanges)
  return viewsOf({ runKinds, hasChat: chat !== null, hasChanges, hasTeamPrograms }).map(({ name }) => name)
}

describe("the tabs of a session", () => {
  it("keeps the run and the chat of a built session beside its agents, opening with the newest", () => {
    const rest = ["Terminal", "Chat", "Changes"]
    expect(tabsAfter(run("workflow"), run("agent"))).toEqual(["Agents", "Build", ...rest])
    expect(tabsAfter(run("workflow"), run("agent"), run("workflow"))).toEqual(["Build", "Agents", ...rest])
    expect(tabsAfter(run("workflow"), run("agent", "api"), run("agent"))).toContain("Build")
  })

  it("has nothing that a session of one kind isn't", () => {
    expect(tabsAfter()).toEqual(["Build", "Chat"])
    expect(tabsAfter(run("workflow"))).toEqual(["Build", "Chat"])
    expect(tabsAfter(run("agent"))).toEqual(["Agents", "Terminal", "Files", "Preview", "Changes"])
    expect(tabsAfter(run("chat", "chat"))).toEqual(["Chat", "Files", "Preview"])
  })

  it("has the files, the preview and the prompts as views only where the run screen doesn't have them as panes", () => {
    expect(tabsAfter(run("chat", "chat"), run("workflow"))).toEqual(["Build", "Chat"])
    expect(tabsAfter(run("workflow"), run("team", "coordinator"))).toEqual(expect.arrayContaining(["Files", "Preview"]))
  })

  it("shows the changes that a chat made in a repository, as those of an agent", () => {
    const changed: Told = ["worktree_changed", { worktree: "main", status: { exists: true, has_changes: true } }]
    expect(tabsAfter(run("chat", "chat"), changed)).toEqual(["Chat", "Files", "Preview", "Changes"])
  })

  it("opens with the team whatever that has started, until something else is", () => {
    const team = [run("workflow"), run("team", "coordinator"), run("work_node", "wkr_1")]
    const tabs = ["Team", "Build", "Agents", "Terminal", "Chat", "Files", "Preview", "Changes", "Prompts"]
    expect(tabsAfter(...team, run("agent", "wkr_2"), run("check", "checker-wkr_1"))).toEqual(tabs)
    expect(tabsAfter(...team, run("agent", "wkr_2"), run("workflow"))[0]).toBe("Build")
  })

  it("keeps a team's tabs from its start to its end", () => {
    const start = (agents?: object): Told => {
      return ["run_created", { run_id: "run_t", kind: "team", model: "m", input: { goal: "Build it", agents } }]
    }
    const models = [start(), run("work_node", "wkr_1"), run("check", "checker-wkr_1")]
    const programs = [start({ allowed: ["claude"] }), run("agent", "wkr_1"), run("train", "trains")]
    for (const [first, ...later] of [models, programs]) {
      if (first) expect(tabsAfter(first, ...later)).toEqual(tabsAfter(first))
    }
    expect(tabsAfter(...models)).toEqual(["Team", "Files", "Preview"])
    expect(tabsAfter(...programs)).toEqual(["Team", "Agents", "Terminal", "Files", "Preview", "Changes"])
  })

  it("shows the chat of a session of agents once there is one, and the kinds that are newer than the page", () => {
    const withChat = ["Agents", "Terminal", "Chat", "Files", "Preview", "Changes"]
    expect(tabsAfter(run("agent"), run("chat", "chat"))).toEqual(withChat)
    expect(tabsAfter(run("agent"), run("novel"))).toEqual(expect.arrayContaining(["Build", "Agents", "Chat"]))
  })
})
