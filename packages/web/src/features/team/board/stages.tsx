import type { Board } from "@switchyard/core/work/teams/request-schema"
import { type IconState, StatusIcon } from "../../../ui/status-icon.tsx"

type Stage = Board["stages"][number]

const shown = {
  planning: ["idle", "Not begun"],
  running: ["busy", "Running"],
  reconvening: ["busy", "Under review"],
  completed: ["done", "Completed"],
} satisfies Record<Stage["status"], [IconState, string]>

const LEFT_OPEN: [IconState, string] = ["idle", "Not reviewed"]

const policies = {
  all_must_complete: "All of its nodes must be completed",
  majority: "More than half of its nodes must be completed",
  any: "One of its nodes must be completed",
} satisfies Record<Stage["checkpoint_policy"], string>

/** The stages of the board in their order, with how far each is; nothing where there are none. */
export function Stages({ board, isOver }: { board: Board; isOver: boolean }) {
  const { stages, nodes, current_stage: current } = board
  if (stages.length === 0) return null
  return (
    <ol aria-label="Stages" className="flex flex-wrap gap-x-5 gap-y-1 px-4 pt-3 text-sm">
      {stages.map(({ name, status, checkpoint_policy, nodes: ids }) => {
        const done = nodes.filter((node) => ids.includes(node.id) && node.status === "completed").length
        // Nobody goes on with a stage that was left open at the team's end, nor while the team stands still.
        const [icon, word] = isOver && status !== "completed" ? LEFT_OPEN : shown[status]
        const isStill = icon === "busy" && board.team.status !== "working"
        return (
          <li
            key={name}
            title={`${policies[checkpoint_policy]}: ${ids.join(", ")}`}
            aria-current={name === current ? "step" : undefined}
            className="flex max-w-full items-center gap-1.5"
          >
            <StatusIcon state={isStill ? "idle" : icon} label={null} />
            <strong className="min-w-0 truncate">{name}</strong>
            <span className="shrink-0 text-ink-3 nums">
              {word} · {done} of {ids.length}
            </span>
          </li>
        )
      })}
    </ol>
  )
}
