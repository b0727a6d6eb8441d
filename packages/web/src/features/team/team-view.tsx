import { ApiError } from "../../api/client.ts"
import type { SessionStore } from "../../session/stream/session-store.ts"
import { useReadOnly } from "../../session/view/use-read-only.ts"
import { Empty, Notice, Skeleton } from "../../ui/notice.tsx"
import { SessionQuestions } from "../questions/session-questions.tsx"
import { BoardGraph } from "./board/board.tsx"
import { Stages } from "./board/stages.tsx"
import { Messages } from "./conversation/messages.tsx"
import { TeamComposer } from "./conversation/team-composer.tsx"
import { useTeam } from "./data/use-team.ts"
import { Members } from "./members/members.tsx"
import { TeamHead } from "./team-head.tsx"
import { Triggers } from "./triggers/triggers.tsx"

/** A team at work: its board, its members, and what they write. */
export function TeamView({ session }: { session: SessionStore }) {
  const { moment, board, messages, error } = useTeam(session)
  const readOnly = useReadOnly(session)
  if (!board && moment !== null && error instanceof ApiError && error.status === 404)
    return <Empty title="No team yet">It begins later on the line.</Empty>
  if (!board && error) return <Notice tone="err">The team can't be loaded. {error.message}</Notice>
  if (!board) return <Skeleton lines={8} />
  const isOver = board.team.status === "completed" || board.team.status === "failed"
  const blocked = isOver ? "The team has ended." : readOnly
  return (
    <div
      data-region="main"
      tabIndex={-1}
      className="grid min-h-0 min-w-0 grid-cols-[minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)]"
    >
      <TeamHead board={board} readOnly={readOnly} />
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
          <Messages messages={messages} workers={board.workers} />
          <div className="max-h-[45vh] overflow-y-auto">
            <SessionQuestions session={session} readOnly={readOnly} />
          </div>
          <TeamComposer board={board} blocked={blocked} />
        </section>
      </div>
    </div>
  )
}
