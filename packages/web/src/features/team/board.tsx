import type { Board } from "@switchyard/core/work/teams/request-schema"
import { Link } from "wouter"
import { paths } from "../../session/context/routes.ts"
import { Empty } from "../../ui/notice.tsx"
import { type IconState, StatusIcon } from "../../ui/status-icon.tsx"
import { type Placed, placeNodes } from "./board-layout.ts"

export type BoardNode = Board["nodes"][number]

const WIDTH = 232
const HEIGHT = 108
const GAP_X = 48
const GAP_Y = 16

const icons = {
  pending: "idle",
  assigned: "idle",
  running: "busy",
  completed: "done",
  failed: "error",
} satisfies Record<BoardNode["status"], IconState>

const words = {
  pending: "Waiting",
  assigned: "Next",
  running: "Working",
  completed: "Completed",
  failed: "Failed",
} satisfies Record<BoardNode["status"], string>

/** The nodes of a team, each right of those that it depends on. */
export function BoardGraph({ board: { nodes, workers }, sessionId }: { board: Board; sessionId: string }) {
  if (nodes.length === 0) return <Empty title="No nodes yet">The coordinator breaks the goal into nodes first.</Empty>
  const places = placeNodes(nodes)
  const columns = Math.max(...[...places.values()].map(({ column }) => column)) + 1
  const rows = Math.max(...[...places.values()].map(({ row }) => row)) + 1
  const nameOf = (id: string | null) => workers.find((worker) => worker.id === id)?.name ?? null
  return (
    <div
      className="relative"
      style={{ width: columns * (WIDTH + GAP_X) - GAP_X, height: rows * (HEIGHT + GAP_Y) - GAP_Y }}
    >
      <Edges nodes={nodes} places={places} />
      <ol aria-label="Nodes">
        {nodes.map((node) => (
          <li
            key={node.id}
            className="absolute"
            style={{ ...cornerOf(places.get(node.id)), width: WIDTH, height: HEIGHT }}
          >
            <NodeCard node={node} worker={nameOf(node.assigned_worker)} sessionId={sessionId} />
          </li>
        ))}
      </ol>
    </div>
  )
}

function NodeCard({ node, worker, sessionId }: { node: BoardNode; worker: string | null; sessionId: string }) {
  const { id, task, status, result, published_files: files } = node
  const [file] = files
  return (
    <article
      data-status={status}
      title={result ?? task}
      className="flex h-full flex-col gap-1 rounded-md border border-line bg-sheet px-3 py-2 data-[status=failed]:border-err data-[status=running]:border-accent data-[status=running]:bg-accent-bg"
    >
      <header className="flex items-center gap-2">
        <StatusIcon state={icons[status]} label={null} />
        <h3 className="truncate text-sm">{id}</h3>
        <span className="ml-auto shrink-0 text-xs text-ink-3">{worker ?? words[status]}</span>
      </header>
      <p className="line-clamp-2 text-sm text-ink-2">{status === "failed" ? (result ?? task) : task}</p>
      <p className="mt-auto truncate text-xs text-ink-3">
        <span className="unseen">{words[status]}. </span>
        {file ? (
          <Link href={paths.files(sessionId, `nodes/${id}/published/${file}`)} className="text-accent hover:underline">
            {files.length > 1 ? `${file} and ${files.length - 1} more` : file}
          </Link>
        ) : (
          <span aria-hidden>{words[status]}</span>
        )}
      </p>
    </article>
  )
}

function Edges({ nodes, places }: { nodes: BoardNode[]; places: Map<string, Placed> }) {
  const lines = nodes.flatMap((node) =>
    node.dependencies.map((from) => ({ from, to: node.id, isOpen: node.status === "pending" })),
  )
  return (
    <svg aria-hidden="true" className="absolute inset-0 size-full overflow-visible" fill="none" strokeWidth="1.5">
      {lines.map(({ from, to, isOpen }) => (
        <path
          key={`${from} ${to}`}
          d={curve(places.get(from), places.get(to))}
          className={isOpen ? "stroke-line" : "stroke-strong"}
        />
      ))}
    </svg>
  )
}

function curve(from: Placed | undefined, to: Placed | undefined): string {
  const [start, end] = [cornerOf(from), cornerOf(to)]
  const [x1, y1] = [start.left + WIDTH, start.top + HEIGHT / 2]
  const [x2, y2] = [end.left, end.top + HEIGHT / 2]
  const bend = GAP_X * 0.6
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`
}

function cornerOf({ column, row }: { column: number; row: number } = { column: 0, row: 0 }) {
  return { left: column * (WIDTH + GAP_X), top: row * (HEIGHT + GAP_Y) }
}
