import { formatCount } from "@switchyard/core/text/format"
import type { Board } from "@switchyard/core/work/teams/request-schema"
import { memo, useState } from "react"
import { Link } from "wouter"
import { paths } from "../../../session/context/routes.ts"
import { useShownSession } from "../../../session/view/use-session.ts"
import { type IconState, StatusIcon } from "../../../ui/icons.tsx"
import { lazyPart } from "../../../ui/lazy-part.ts"
import { Empty } from "../../../ui/notice.tsx"
import { type Placed, placeNodes } from "./board-layout.ts"
import { type BoardNode, nodeWords } from "./board-node.ts"
import { waitingNodes } from "./board-order.ts"
import { SpendingBar, spendingText } from "./node-spending.tsx"
import { useReordering } from "./use-reordering.ts"

const NodeDialog = lazyPart(async () => (await import("./node-dialog.tsx")).NodeDialog)

const WIDTH = 232
const HEIGHT = 140
const GAP_X = 48
const GAP_Y = 16

const icons = {
  pending: "idle",
  assigned: "idle",
  running: "busy",
  completed: "done",
  failed: "error",
} satisfies Record<BoardNode["status"], IconState>

interface Props {
  board: Board
  /** Why nothing can be changed now; null if it can. */
  blocked: string | null
}

/**
 * A team's nodes, each to the right of those that it depends on. A node that hasn't started can be dragged to another
 * position, or onto a worker.
 */
export function BoardGraph({ board, blocked }: Props) {
  const { nodes, workers, team } = board
  const [openId, open] = useState<string | null>(null)
  const reordering = useReordering(team.id, nodes)
  const opened = nodes.find(({ id }) => id === openId)
  if (nodes.length === 0) return <Empty title="No nodes yet">The coordinator is splitting the goal into nodes.</Empty>
  const places = placeNodes(nodes)
  const columns = Math.max(...[...places.values()].map(({ column }) => column)) + 1
  const rows = Math.max(...[...places.values()].map(({ row }) => row)) + 1
  const waiting = waitingNodes(nodes)
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
            data-edge={reordering.edgeOf(node.id)}
            className="absolute rounded-md [content-visibility:auto] data-[edge=lower]:border-b-2 data-[edge=upper]:border-t-2 data-edge:border-accent"
            style={{ ...cornerOf(places.get(node.id)), width: WIDTH, height: HEIGHT }}
            {...(blocked === null && reordering.handlersOf(node))}
          >
            <NodeCard
              node={node}
              worker={nameOf(node.assigned_worker)}
              turn={waiting.length > 1 ? waiting.indexOf(node) + 1 : 0}
              onOpen={open}
            />
          </li>
        ))}
      </ol>
      <p role="status" className="unseen">
        {reordering.told}
      </p>
      {opened && <NodeDialog board={board} node={opened} blocked={blocked} onClose={() => open(null)} />}
    </div>
  )
}

interface CardProps {
  node: BoardNode
  worker: string | null
  /** Its 1-based position if several nodes haven't started; otherwise 0. */
  turn: number
  onOpen(id: string): void
}

/** Memoised by node, because a board may have hundreds. */
const NodeCard = memo(function NodeCard({ node, worker, turn, onOpen }: CardProps) {
  const { sessionId } = useShownSession()
  const { id, task, status, result, published_files: files, budget, checks } = node
  const [file] = files
  return (
    <article
      data-status={status}
      title={result ?? task}
      className="relative flex h-full flex-col gap-1 rounded-md border border-line bg-sheet px-3 py-2 data-[status=failed]:border-err data-[status=running]:border-accent data-[status=running]:bg-accent-bg"
    >
      <header className="flex items-center gap-2">
        <StatusIcon state={icons[status]} label={null} />
        <h3 className="min-w-0 text-sm">
          {/* The whole card opens it, except the link to its file. */}
          <button
            type="button"
            onClick={() => onOpen(id)}
            className="block max-w-full truncate text-left after:absolute after:inset-0 max-md:min-h-11 max-md:min-w-11"
          >
            {id}
          </button>
        </h3>
        <span className="ml-auto shrink-0 text-xs text-ink-3">{worker ?? nodeWords[status]}</span>
      </header>
      <p className="line-clamp-2 text-sm text-ink-2 max-md:line-clamp-1">
        {status === "failed" ? (result ?? task) : task}
      </p>
      <div className="mt-auto flex items-center gap-2 text-xs text-ink-3">
        <span className="unseen">{nodeWords[status]}. </span>
        {file ? (
          <Link
            href={paths.files(sessionId, `nodes/${id}/published/${file}`)}
            className="relative z-10 min-w-0 truncate text-accent hover:underline max-md:flex max-md:min-h-11 max-md:min-w-11 max-md:items-center"
          >
            {files.length > 1 ? `${file} and ${files.length - 1} more` : file}
          </Link>
        ) : (
          <span aria-hidden className="shrink-0">
            {nodeWords[status]}
          </span>
        )}
        {turn > 0 && (
          <span title="Position among waiting nodes" className="shrink-0 nums">
            #{turn}
          </span>
        )}
        {checks && <span className="shrink-0">{formatCount(Object.keys(checks).length, "check")}</span>}
        <span className="ml-auto max-w-[60%] shrink-0 truncate nums">{spendingText(budget)}</span>
      </div>
      <SpendingBar budget={budget} />
    </article>
  )
})

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
