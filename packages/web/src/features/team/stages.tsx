import type { Board } from "@switchyard/core/work/teams/request-schema"
import { type IconState, StatusIcon } from "../../ui/status-icon.tsx"

type Stage = Board["stages"][number]

const shown = {
  planning: ["idle", "Not begun"],
  running: ["busy", "Running"],
  reconvening: ["busy", "Under review"],
  completed: ["done", "Completed"],
} satisfies Record<Stage["status"], [IconState, string]>

const policies = {
  all_must_complete: "All of its nodes must be completed",
  majority: "More than half of its nodes must be completed",
  any: "One of its nodes must be completed",
} satisfies Record<Stage["checkpoint_policy"], string>

/** The stages of the board in their order, with how far each is; nothing where there are none. */
export function Stages({ board: { stages, nodes, current_stage: current } }: { board: Board }) {
  if (stages.length === 0) return null
  return (
    <ol aria-label="Stages" className="flex flex-wrap gap-x-5 gap-y-1 px-4 pt-3 text-sm">
      {stages.map(({ name, status, checkpoint_policy, nodes: ids }) => {
        const done = nodes.filter((node) => ids.includes(node.id) && node.status === "completed").length
        const [icon, word] = shown[status]
        return (
          <li
            key={name}
            title={`${policies[checkpoint_policy]}: ${ids.join(", ")}`}
            aria-current={name === current ? "step" : undefined}
            className="flex max-w-full items-center gap-1.5"
          >
            <StatusIcon state={icon} label={null} />
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
