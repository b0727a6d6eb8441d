import { NODE_NAMES } from "@switchyard/core/work/workflow/nodes"
import type { NodeName } from "@switchyard/core/work/workflow/schema"
import { clsx } from "clsx"
import { currentFile, edgeState, type GraphView, type NodeState, type NodeView } from "../../../session/stream/graph.ts"
import { useSessionData } from "../../../session/view/use-session.ts"
import { type IconState, StatusIcon } from "../../../ui/icons.tsx"
import { nodeNames, useNodeNotes } from "./node-notes.ts"

const looks = {
  idle: { icon: "idle", word: "Idle", bar: "bg-line", edge: "border-line" },
  active: { icon: "busy", word: "Running", bar: "bg-accent", edge: "border-accent" },
  completed: { icon: "done", word: "Done", bar: "bg-ok", edge: "border-line" },
  error: { icon: "error", word: "Error", bar: "bg-err", edge: "border-err" },
} satisfies Record<NodeState, { icon: IconState } & Record<"word" | "bar" | "edge", string>>

/** The three nodes, their states, and the connections between them. */
export function Graph({ prompted, onNode }: { prompted: NodeName | null; onNode(node: NodeName): void }) {
  const graph = useSessionData((data) => data.shown.graph)
  const notes = useNodeNotes()
  return (
    <section
      id="agent-graph"
      aria-label="Graph"
      data-region="graph"
      tabIndex={-1}
      className="@container bg-well px-3 py-3 max-md:px-2 max-md:py-2"
    >
      <ol className="mx-auto flex max-w-[980px] items-stretch">
        {NODE_NAMES.map((node, index) => (
          <li key={node} className={clsx("flex min-w-0 items-center", index > 0 ? "flex-[1.25]" : "flex-1")}>
            {index > 0 && <Edge from={graph.nodes[NODE_NAMES[index - 1] ?? node].state} to={graph.nodes[node].state} />}
            <NodeCard
              node={node}
              view={graph.nodes[node]}
              note={notes[node]}
              graph={graph}
              pressed={node === prompted}
              onNode={onNode}
            />
          </li>
        ))}
      </ol>
      <Progress graph={graph} />
    </section>
  )
}

interface CardProps {
  node: NodeName
  view: NodeView
  note: string
  graph: GraphView
  pressed: boolean
  onNode(node: NodeName): void
}

function NodeCard({ node, view, note, graph, pressed, onNode }: CardProps) {
  const { icon, word, bar, edge } = looks[view.state]
  return (
    <button
      type="button"
      data-agent-node={node}
      data-agent-source-id={node}
      data-state={view.state}
      aria-pressed={pressed}
      onClick={() => onNode(node)}
      title={`${nodeNames[node]} prompt`}
      className={clsx(
        "relative min-w-0 flex-1 overflow-hidden rounded-md border bg-sheet py-2 pr-3 pl-4 text-left hover:border-strong aria-pressed:bg-accent-bg @max-[40rem]:pr-2 @max-[40rem]:pl-3 max-md:py-1.5 max-md:pr-1.5 max-md:pl-3",
        edge,
      )}
    >
      <span aria-hidden className={clsx("absolute inset-y-0 left-0 w-1", bar)} />
      <span className="flex items-center gap-2">
        <span className="truncate font-semibold max-md:text-sm">{nodeNames[node]}</span>
        <span className="ml-auto flex items-center gap-1.5 text-xs text-ink-3">
          <span className="@max-[40rem]:unseen">{word}</span>
          <StatusIcon state={icon} label={null} />
        </span>
      </span>
      <span className="mt-0.5 flex items-center gap-2">
        <span className="truncate text-sm text-ink-2 nums max-md:text-xs">{note}</span>
        {node === "coder" && <Steps graph={graph} />}
      </span>
    </button>
  )
}

/** One square per file: written, being written, or still to come. */
function Steps({ graph }: { graph: GraphView }) {
  const total = graph.stepsTotal ?? 0
  if (total === 0 || total > 24) return null
  const atWork = currentFile(graph) ? Math.max(1, graph.writing.length) : 0
  return (
    <span aria-hidden className="ml-auto flex shrink-0 gap-0.5 @max-[40rem]:hidden">
      {Array.from({ length: total }, (_, step) => (
        <span
          key={`step-${step.toString()}`}
          className={clsx(
            "size-2 rounded-[1px]",
            step < graph.stepsFinished
              ? "bg-ok"
              : step < graph.stepsFinished + atWork
                ? "bg-accent"
                : "border border-line",
          )}
        />
      ))}
    </span>
  )
}

const EDGE_CLASSES = { done: "stroke-ok", flowing: "animate-dashes stroke-accent", waiting: "stroke-strong" }

function Edge({ from, to }: { from: NodeState; to: NodeState }) {
  const state = edgeState(from, to)
  return (
    <svg
      aria-hidden="true"
      className="h-3 w-10 shrink-0 @max-[40rem]:w-4 max-md:w-2.5"
      preserveAspectRatio="none"
      viewBox="0 0 40 12"
    >
      <line
        x1="0"
        y1="6"
        x2="40"
        y2="6"
        strokeWidth="1.5"
        vectorEffect="non-scaling-stroke"
        strokeDasharray={state === "done" ? undefined : "6 6"}
        className={EDGE_CLASSES[state]}
      />
    </svg>
  )
}

/** Progress for screen readers, with at most one sentence per file. */
function Progress({ graph }: { graph: GraphView }) {
  const current = currentFile(graph)
  return (
    <p role="status" className="unseen">
      {current ? `Coder: file ${current.number} of ${current.total}` : ""}
    </p>
  )
}
