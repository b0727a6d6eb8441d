import type { Board } from "@switchyard/core/work/teams/request-schema"
import { useStudio, useTold } from "../../session/context/studio.ts"
import { useReadOnly } from "../../session/view/use-session.ts"
import { Button } from "../../ui/button.tsx"
import { type IconState, StatusIcon } from "../../ui/icons.tsx"
import { SpendingBar, spendingText } from "./board/node-spending.tsx"
import { board } from "./data/responses.ts"
import { ResultButton } from "./result-button.tsx"

type Status = Board["team"]["status"]

const shown = {
  idle: ["idle", "Waiting for a message"],
  working: ["busy", "Working"],
  paused: ["idle", "Paused"],
  waiting_for_human: ["needs_input", "Needs you"],
  waiting_for_trigger: ["idle", "Waiting for a trigger"],
  stopped: ["idle", "Stopped"],
  completed: ["done", "Finished"],
  failed: ["error", "Failed"],
} satisfies Record<Status, [IconState, string]>

const actions: Record<Status, ("pause" | "stop" | "resume")[]> = {
  idle: ["stop"],
  waiting_for_trigger: ["pause", "stop"],
  working: ["pause", "stop"],
  waiting_for_human: ["pause", "stop"],
  paused: ["resume", "stop"],
  stopped: ["resume"],
  completed: [],
  failed: [],
}

const labels = { pause: "Pause", stop: "Stop", resume: "Resume" }

/** A team's goal and state, and actions on the team as a whole. */
export function TeamHead({ board: { team, nodes, budget } }: { board: Board }) {
  const readOnly = useReadOnly()
  const { api } = useStudio()
  const told = useTold()
  const [icon, word] = shown[team.status]
  const done = nodes.filter(({ status }) => status === "completed").length
  const given = { path: { id: team.id }, response: board }
  const spent = spendingText(budget)
  const calls = {
    pause: () => api.call("POST /api/v1/teams/{id}/pause", given),
    stop: () => api.call("POST /api/v1/teams/{id}/stop", given),
    resume: () => api.call("POST /api/v1/teams/{id}/resume", given),
  }
  const change = (action: keyof typeof calls) => told(calls[action]())
  return (
    <header className="flex min-h-11 flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2">
      <h2 className="min-w-0 flex-1 basis-60 truncate text-base" title={team.goal}>
        {team.goal}
      </h2>
      <p role="status" className="flex items-center gap-2 text-sm text-ink-2 nums">
        <StatusIcon state={icon} label={null} />
        {word}
        {nodes.length > 0 && ` · ${done} of ${nodes.length} nodes`}
      </p>
      {spent !== "" && (
        <div title="Team's total usage" className="flex flex-col gap-1 text-sm text-ink-3 nums">
          {spent}
          <SpendingBar budget={budget} />
        </div>
      )}
      <div className="flex gap-2">
        {team.status === "completed" && <ResultButton />}
        {actions[team.status].map((action) => (
          <Button key={action} size="sm" disabled={readOnly !== null} onClick={() => change(action)}>
            {labels[action]}
          </Button>
        ))}
      </div>
    </header>
  )
}
