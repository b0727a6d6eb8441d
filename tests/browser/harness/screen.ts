import type { Locator, Page } from "playwright-core"
import { until } from "./until.ts"

type NodeName = "planner" | "architect" | "coder"
type NodeState = "idle" | "active" | "completed" | "error"

/** Finds the parts of the run screen as a person does. */
export function onRunScreen(page: Page) {
  const prompt = page.locator("#agent-user-prompt textarea")
  const runButton = page.locator("#agent-run-button")
  const tree = page.locator("#agent-file-tree")
  const conversation = page.locator("#agent-conversation")
  const log = page.locator("#agent-logs")
  const line = page.getByRole("region", { name: "Timeline" })
  const moment = line.getByRole("slider", { name: "Timeline position" })
  const rows = log.locator("[data-seq]")

  const tabs = page.getByRole("navigation", { name: "Panes" })

  async function show(pane: "Conversation" | "App" | "Code" | "Log" | "Graph"): Promise<void> {
    await tabs.getByRole("button", { name: pane }).click()
  }

  async function states(): Promise<Record<string, string>> {
    const nodes = page.locator("[data-nodes] [data-node]")
    return Object.fromEntries(await nodes.evaluateAll((all) => all.map(({ dataset }) => [dataset.node, dataset.state])))
  }

  return {
    page,
    prompt,
    runButton,
    tree,
    conversation,
    log,
    line,
    moment,
    rows,
    states,
    show,
    /** Waits until each of these nodes has its state. */
    async reach(wanted: Partial<Record<NodeName, NodeState>>) {
      await until(states).toMatchObject(wanted)
    },
    /** Waits until all nodes are completed. */
    finished: () => reachAll(states, "completed"),
    /**
     * Finds a file in the tree. The editor has buttons with the open file's name too, and may appear before the tree.
     */
    file: (path: string): Locator => tree.locator(`[data-agent-file-path="${path}"]`),
    /** Returns the paths of all files that the tree shows, sorted. */
    async files(): Promise<string[]> {
      const found = await tree
        .locator("[data-agent-file-path]")
        .evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.agentFilePath ?? ""))
      return found.sort()
    },
    /** Returns the number of shown events and of all events, as `shown/all`. */
    async position(): Promise<string> {
      const told = (await line.locator("span.nums").first().innerText()).replaceAll(",", "")
      return /\d+\/\d+/.exec(told)?.[0] ?? told
    },
    async ask(text: string) {
      await prompt.fill(text)
      await runButton.click()
    },
  }
}

async function reachAll(states: () => Promise<Record<string, string>>, state: NodeState): Promise<void> {
  await until(states).toEqual({ planner: state, architect: state, coder: state })
}

/** Returns the `seq` of a session's latest event on the server. */
export async function latestSeq(
  place: { ask(method: string, path: string): Promise<{ latest_seq: number }> },
  id: string,
) {
  return (await place.ask("GET", `/api/v1/sessions/${id}`)).latest_seq
}
