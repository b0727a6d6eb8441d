import { workLimitsOf } from "@switchyard/core/people/budget/message"
import type { WorkBudgetStatus } from "@switchyard/core/people/budget/schema"
import type { Board } from "@switchyard/core/work/teams/request-schema"
import { clsx } from "clsx"
import { type DragEvent, useState } from "react"
import { paths } from "../../../session/context/routes.ts"
import { useToast } from "../../../session/context/studio.ts"
import { Button } from "../../../ui/button.tsx"
import { errorText } from "../../../ui/error-text.ts"
import { type IconState, StatusIcon } from "../../../ui/icons.tsx"
import { lazyPart } from "../../../ui/lazy-part.ts"
import { TextLink } from "../../../ui/text-link.tsx"
import { NODE_DRAG } from "../board/board-node.ts"
import { SpendingBar, spendingText, usedText } from "../board/node-spending.tsx"
import { useBoardChanges } from "../data/use-board-changes.ts"

const AddNodeDialog = lazyPart(async () => (await import("../board/add-node-dialog.tsx")).AddNodeDialog)
const AddWorkerDialog = lazyPart(async () => (await import("./add-worker-dialog.tsx")).AddWorkerDialog)

const icons = { idle: "idle", busy: "busy", waiting_for_human: "needs_input" } satisfies Record<
  Board["workers"][number]["status"],
  IconState
>

interface Props {
  board: Board
  /** Why nothing can be changed now; null if it can. */
  blocked: string | null
}

/** The coordinator and the workers, with what each is doing, and buttons for adding nodes and workers. */
export function Members({ board, blocked }: Props) {
  const { team, nodes, workers } = board
  const isAtWork = team.status === "working"
  const [adding, add] = useState<"node" | "worker" | null>(null)
  const toast = useToast()
  const change = useBoardChanges(team.id)
  const give = (node: string, worker: string) =>
    change.mutate({ do: "assign", node, worker }, { onError: (error) => toast(errorText(error), "err") })
  const close = () => add(null)
  return (
    <div className="flex flex-wrap items-center gap-2 px-4 pt-3">
      <ul aria-label="Members" className="contents">
        <Member
          name="Coordinator"
          about={team.coordinator ?? team.model}
          icon={isAtWork ? "busy" : "idle"}
          does={isAtWork ? "Coordinating" : "Idle"}
          used={usedText(board.coordinator_used)}
          href={team.coordinator_id === null ? null : paths.agent(team.id, team.coordinator_id)}
        />
        {workers.map(({ id, name, role, type, command, model, status, node_id: node, used }) => (
          <Member
            key={id}
            name={name}
            about={`${role} · ${command ?? model}`}
            icon={icons[status]}
            does={node ?? "Idle"}
            used={usedText(used)}
            budget={nodes.find((one) => one.id === node)?.budget}
            href={type === "harnessed" || command !== null ? null : paths.agent(team.id, name)}
            onNode={blocked === null && node === null ? (dragged) => give(dragged, id) : null}
          />
        ))}
      </ul>
      {blocked === null && (
        <>
          <Button size="sm" onClick={() => add("worker")}>
            Add worker
          </Button>
          <Button size="sm" onClick={() => add("node")}>
            Add node
          </Button>
        </>
      )}
      {adding === "node" && <AddNodeDialog board={board} onClose={close} />}
      {adding === "worker" && <AddWorkerDialog board={board} onClose={close} />}
    </div>
  )
}

interface MemberProps {
  name: string
  about: string
  icon: IconState
  does: string
  /** Total amounts used. */
  used: string
  /** Budget of the node that it is working on. */
  budget?: WorkBudgetStatus | undefined
  /** Link to a program's conversation and terminal; null if there are none. */
  href?: string | null
  /** Takes a node that is dropped here; null if none can be assigned now. */
  onNode?: ((nodeId: string) => void) | null
}

function Member({ name, about, icon, does, used, budget, href = null, onNode = null }: MemberProps) {
  const [isOver, setOver] = useState(false)
  const limits = budget ? workLimitsOf(budget) : []
  const drop = onNode && {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes(NODE_DRAG)) return
      event.preventDefault()
      setOver(true)
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      setOver(false)
      onNode(event.dataTransfer.getData(NODE_DRAG))
    },
  }
  return (
    <li
      title={about}
      {...drop}
      className={clsx(
        "flex max-w-72 items-center gap-2 rounded-md border bg-sheet px-3 py-1.5 text-sm",
        isOver ? "border-accent" : "border-line",
      )}
    >
      <StatusIcon state={icon} label={null} />
      <strong className="max-w-40 shrink-0 truncate">
        {href === null ? name : <TextLink href={href}>{name}</TextLink>}
      </strong>
      <div className="min-w-0 text-ink-3">
        <p className="truncate">{does}</p>
        {used !== "" && (
          <p title="Total usage" className="truncate text-xs nums">
            {used}
          </p>
        )}
        {limits.length > 0 && budget && (
          <div title="Node budget">
            <p className="truncate text-xs nums">{spendingText(budget)}</p>
            <SpendingBar budget={budget} />
          </div>
        )}
      </div>
    </li>
  )
}
