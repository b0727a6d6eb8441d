import { workLimitsOf } from "@switchyard/core/people/budget/message"
import type { Board } from "@switchyard/core/work/teams/request-schema"
import { keepPreviousData } from "@tanstack/react-query"
import { useState } from "react"
import { useResponse } from "../../../session/context/requests.ts"
import { Button } from "../../../ui/button.tsx"
import { Dialog } from "../../../ui/dialog.tsx"
import { ErrorNotice, Notice } from "../../../ui/notice.tsx"
import { Meter } from "../../usage/meter.tsx"
import { WorkBudgetDialog } from "../../usage/work-budget-dialog.tsx"
import { nodeInFull } from "../data/responses.ts"
import { useBoardChanges } from "../data/use-board-changes.ts"
import { type BoardNode, nodeWords } from "./board-node.ts"
import { neighbourOf, waitingNodes } from "./board-order.ts"
import { spendingText } from "./node-spending.tsx"
import { NodeWork } from "./node-work.tsx"

/** Interval at which the commands of a node in progress are refetched. */
const WORK_REFRESH_MS = 3000

interface Props {
  board: Board
  node: BoardNode
  /** Why nothing can be changed now; null if it can. */
  blocked: string | null
  onClose(): void
}

/** A team's node: its full task, what it used, and what a person can do with it. */
export function NodeDialog({ board, node, blocked, onClose }: Props) {
  const [isOnBudget, openBudget] = useState(false)
  const change = useBoardChanges(board.team.id)
  const path = { id: board.team.id, node: node.id }
  const { data, error } = useResponse(
    ["team", board.team.id, "node", node.id, node.status, node.run_id],
    "GET /api/v1/teams/{id}/board/{node}",
    { path, response: nodeInFull },
    {
      placeholderData: keepPreviousData,
      refetchInterval: node.status === "running" ? WORK_REFRESH_MS : false,
    },
  )
  const worker = board.workers.find(({ id }) => id === node.assigned_worker)
  const isRunning = node.status === "running" && node.run_id !== null
  const isOff = blocked !== null || change.isPending
  const go = (what: Parameters<typeof change.mutate>[0]) => change.mutate(what, { onSuccess: onClose })
  if (isOnBudget && node.run_id !== null) {
    const subject = { sessionId: board.team.id, runId: node.run_id, title: `Node ${node.id}` }
    return <WorkBudgetDialog subjects={[subject]} onClose={onClose} />
  }
  return (
    <Dialog
      title={node.id}
      onClose={onClose}
      actions={
        (node.status === "failed" || isRunning) && (
          <>
            {node.status === "failed" && (
              <Button tone="primary" disabled={isOff} onClick={() => go({ do: "retry", node: node.id })}>
                Retry
              </Button>
            )}
            {isRunning && (
              <>
                <Button disabled={isOff} onClick={() => openBudget(true)}>
                  Budget
                </Button>
                <Button tone="danger" disabled={isOff} onClick={() => go({ do: "cancel", run: node.run_id ?? "" })}>
                  Cancel node
                </Button>
              </>
            )}
          </>
        )
      }
    >
      <div className="flex flex-col gap-3">
        <p className="text-sm text-ink-2">
          {nodeWords[node.status]}
          {worker && ` by ${worker.name}`}
          {node.dependencies.length > 0 && ` · after ${node.dependencies.join(", ")}`}
        </p>
        <p className="break-words whitespace-pre-wrap">{data?.spec ?? node.task}</p>
        {node.result !== null && <Notice tone={node.status === "failed" ? "err" : "info"}>{node.result}</Notice>}
        <Spending node={node} />
        <NodeWork checks={node.checks} work={data} />
        <Order
          board={board}
          node={node}
          isOff={isOff}
          onMove={(before) => change.mutate({ do: "move", node: node.id, before })}
        />
        {node.status === "pending" && (
          <Assignment
            board={board}
            node={node}
            isOff={isOff}
            onGive={(to) => go({ do: "assign", node: node.id, worker: to })}
          />
        )}
        <ErrorNotice error={change.error ?? error} />
      </div>
    </Dialog>
  )
}

function Spending({ node: { budget } }: { node: BoardNode }) {
  const limits = workLimitsOf(budget)
  const text = spendingText(budget)
  if (limits.length === 0) return text === "" ? null : <p className="text-sm text-ink-3 nums">{text} used</p>
  return (
    <>
      {limits.map(({ name, text: used, left, percent }) => (
        <div key={name}>
          <Meter label={used} aside={left} percent={percent} />
        </div>
      ))}
    </>
  )
}

interface OrderProps {
  board: Board
  node: BoardNode
  isOff: boolean
  onMove(before: string | null): void
}

/** A node's position among those that haven't started, with buttons that move it. */
function Order({ board: { nodes }, node, isOff, onMove }: OrderProps) {
  const waiting = waitingNodes(nodes)
  const at = waiting.findIndex(({ id }) => id === node.id)
  if (at === -1 || waiting.length === 1) return null
  const mover = (label: string, by: -1 | 1) => {
    const before = neighbourOf(nodes, node.id, by)
    return (
      // Not disabled, so that the button keeps the focus when the node reaches the end.
      <Button
        aria-disabled={before === undefined || isOff}
        className="aria-disabled:text-ink-3"
        onClick={() => before !== undefined && !isOff && onMove(before)}
      >
        {label}
      </Button>
    )
  }
  return (
    <div className="flex flex-wrap items-center gap-2">
      <p role="status" className="text-sm text-ink-2">
        Position {at + 1} of {waiting.length} among waiting nodes
      </p>
      {mover("Move up", -1)}
      {mover("Move down", 1)}
    </div>
  )
}

interface AssignmentProps {
  board: Board
  node: BoardNode
  isOff: boolean
  onGive(workerId: string): void
}

/** The workers to which a waiting node can be assigned, or what it is waiting for. */
function Assignment({ board: { nodes, workers }, node, isOff, onGive }: AssignmentProps) {
  const isCompleted = (id: string) => nodes.some((one) => one.id === id && one.status === "completed")
  const open = node.dependencies.filter((id) => !isCompleted(id))
  const idle = workers.filter(({ node_id }) => node_id === null)
  if (open.length > 0) return <p className="text-sm text-ink-3">Starts after {open.join(", ")}.</p>
  if (idle.length === 0) return <p className="text-sm text-ink-3">All workers are busy.</p>
  return (
    <div className="flex flex-wrap gap-2">
      {idle.map(({ id, name }) => (
        <Button key={id} disabled={isOff} className="max-w-full" onClick={() => onGive(id)}>
          <span className="truncate">Assign to {name}</span>
        </Button>
      ))}
    </div>
  )
}
