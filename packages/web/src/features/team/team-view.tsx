import type { Board } from "@switchyard/core/work/teams/request-schema"
import { ApiError } from "../../api/client.ts"
import { useReadOnly, useSessionData } from "../../session/view/use-session.ts"
import { type IconState, StatusIcon } from "../../ui/icons.tsx"
import { Empty, Notice, Skeleton } from "../../ui/notice.tsx"
import { SessionQuestions } from "../questions/session-questions.tsx"
import { BoardGraph } from "./board/board.tsx"
import { FollowUpComposer } from "./conversation/follow-up-composer.tsx"
import { Messages } from "./conversation/messages.tsx"
import { TeamComposer } from "./conversation/team-composer.tsx"
import { useTeam } from "./data/use-team.ts"
import { Members } from "./members/members.tsx"
import { TeamHead } from "./team-head.tsx"
import { Triggers } from "./triggers/triggers.tsx"

/** A team at work: its board, its members, and their messages. */
export function TeamView() {
  const { moment, board, messages, error } = useTeam()
  const readOnly = useReadOnly()
  if (!board && moment !== null && error instanceof ApiError && error.status === 404)
    return <Empty title="No team yet">The team hadn't started at this point.</Empty>
  if (!board && error) return <Notice tone="err">Couldn't load the team. {error.message}</Notice>
  if (!board) return <Skeleton lines={8} />
  const isOver = board.team.status === "completed" || board.team.status === "failed"
  const blocked = isOver ? "Team finished" : readOnly
  return (
    <div
      data-region="main"
      tabIndex={-1}
      className="grid min-h-0 min-w-0 grid-cols-[minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)]"
    >
      <div>
        <TeamHead board={board} />
        <TeamFailure runId={board.team.run_id} />
      </div>
      <div className="grid min-h-0 grid-cols-[minmax(0,1fr)_minmax(300px,30%)] max-lg:grid-cols-[minmax(0,1fr)] max-lg:grid-rows-[minmax(0,1fr)_minmax(0,1fr)]">
        <section aria-label="Board" className="flex min-h-0 min-w-0 flex-col max-lg:overflow-y-auto">
          <Members board={board} blocked={blocked} />
          <Stages board={board} isOver={isOver} />
          <div className="min-h-0 flex-1 overflow-auto p-4 max-lg:min-h-64 max-lg:shrink-0">
            <BoardGraph board={board} blocked={blocked} />
          </div>
          <Triggers teamId={board.team.id} triggers={board.triggers} blocked={blocked} />
        </section>
        <section
          aria-label="Conversation"
          className="grid min-h-0 min-w-0 grid-rows-[minmax(0,1fr)_auto_auto] border-l border-line max-lg:border-t max-lg:border-l-0"
        >
          <Messages teamId={board.team.id} messages={messages} workers={board.workers} moment={moment} />
          <div className="max-h-[45vh] overflow-y-auto">
            <SessionQuestions workerName={(agentId) => board.workers.find(({ id }) => id === agentId)?.name} />
          </div>
          {isOver ? (
            <FollowUpComposer board={board} blocked={readOnly} />
          ) : (
            <TeamComposer board={board} blocked={readOnly} />
          )}
        </section>
      </div>
    </div>
  )
}

/** Why the team's own run failed. Nothing if it didn't fail. */
function TeamFailure({ runId }: { runId: string }) {
  const error = useSessionData(
    ({ shown }) => Object.values(shown.agents).find(({ run }) => run?.runId === runId)?.run?.error ?? null,
  )
  if (error === null) return null
  return (
    <Notice tone="err" className="border-b border-b-line">
      <p className="break-words whitespace-pre-line">{error.message}</p>
      {!error.message.includes(error.hint) && <p className="text-ink-2">{error.hint}</p>}
    </Notice>
  )
}

type Stage = Board["stages"][number]

const shown = {
  planning: ["idle", "Not started"],
  running: ["busy", "Running"],
  reconvening: ["busy", "In review"],
  completed: ["done", "Completed"],
} satisfies Record<Stage["status"], [IconState, string]>

const LEFT_OPEN: [IconState, string] = ["idle", "Not reviewed"]

const policies = {
  all_must_complete: "All nodes must complete",
  majority: "More than half of the nodes must complete",
  any: "At least one node must complete",
} satisfies Record<Stage["checkpoint_policy"], string>

/** The board's stages in order, with their progress. Nothing if there are none. */
function Stages({ board, isOver }: { board: Board; isOver: boolean }) {
  const { stages, nodes, current_stage: current } = board
  if (stages.length === 0) return null
  return (
    <ol aria-label="Stages" className="flex flex-wrap gap-x-5 gap-y-1 px-4 pt-3 text-sm">
      {stages.map(({ name, status, checkpoint_policy, nodes: ids }) => {
        const done = nodes.filter((node) => ids.includes(node.id) && node.status === "completed").length
        // A stage isn't shown as in progress if it was left open when the team ended, or while the team is stopped.
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
