import { formatDuration } from "@switchyard/core/text/format"
import type { NodeName } from "@switchyard/core/work/workflow/schema"
import { currentFile, type GraphView } from "../../../session/stream/graph.ts"
import { thinkingOf } from "../../../session/stream/live-text.ts"
import { isRunning } from "../../../session/stream/run.ts"
import { useSessionData } from "../../../session/view/use-session.ts"

export const nodeNames = { planner: "Planner", architect: "Architect", coder: "Coder" } satisfies Record<
  NodeName,
  string
>

/** Returns what each node of the shown run does or has done, in a few words. */
export function useNodeNotes(): Record<NodeName, string> {
  const graph = useSessionData((data) => data.shown.graph)
  const running = useSessionData((data) => isRunning(data.shown.run))
  const stopped = useSessionData(({ shown: { run } }) => run?.status === "cancelled")
  const thinking = useSessionData((data) => data.shownText.thinking)
  const note = (node: NodeName) => noteOf(node, graph, { running, stopped, thinking: thinkingOf({ thinking }, node) })
  return { planner: note("planner"), architect: note("architect"), coder: note("coder") }
}

function noteOf(
  node: NodeName,
  graph: GraphView,
  { running, stopped, thinking }: { running: boolean; stopped: boolean; thinking: number },
): string {
  const { state, durationMs } = graph.nodes[node]
  const took = durationMs > 0 ? ` · ${formatDuration(durationMs)}` : ""
  if (state === "error") return "Failed"
  const thought = state === "active" && thinking > 0 ? `Thinking… ${thinking.toLocaleString("en")}` : undefined
  if (node === "coder" && state !== "idle") return [coderNote(graph, took), thought].filter(Boolean).join(" · ")
  if (state === "idle" && stopped) return "Run stopped"
  if (state === "idle") return running ? "Waiting" : "Hasn't run yet"
  if (state === "active" && thought) return thought
  if (state === "active") return node === "planner" ? "Choosing files" : "Planning steps"
  const total = node === "planner" ? graph.plannedFiles : graph.steps.length
  const thing = node === "planner" ? "files" : "steps"
  return `${total ?? 0} ${thing}${took}`
}

function coderNote(graph: GraphView, took: string): string {
  const current = currentFile(graph)
  if (!current) return `${graph.stepsFinished} of ${graph.stepsTotal ?? graph.stepsFinished} files${took}`
  const name = current.path?.split("/").at(-1)
  const others = graph.writing.length > 1 ? ` and ${graph.writing.length - 1} more` : ""
  return `File ${current.number}/${current.total}${name ? ` ${name}` : ""}${others}`
}
