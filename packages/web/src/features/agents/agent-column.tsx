import { cliTitle } from "@switchyard/core/agents/clis/titles"
import { clsx } from "clsx"
import { useEffect, useRef } from "react"
import { useCommand } from "../../session/context/commands.ts"
import type { RunView } from "../../session/stream/run.ts"
import type { Thread } from "../../session/stream/thread.ts"
import type { RosterEntry } from "../../session/thread/roster.ts"
import { useThread } from "../../session/thread/use-thread.ts"
import { useReadOnly, useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { Empty, RetryNotice, Skeleton } from "../../ui/notice.tsx"
import { ThreadList } from "../conversation/thread-list.tsx"
import { NextQuestion } from "../questions/next-question.tsx"
import { QuestionCard } from "../questions/question-card.tsx"
import { AgentAside } from "./agent-aside.tsx"
import { AgentComposer } from "./agent-composer.tsx"
import { AgentHead } from "./agent-head.tsx"
import { TodoBar } from "./todo-list.tsx"

interface Props {
  entry: RosterEntry
  isSelected: boolean
  /** True if it is the only one shown. */
  isAlone: boolean
  width: number
  onSelect(): void
  /** Called when the agent was closed. */
  onGone(): void
}

/** Below this width, the agent's to-do list is shown below its conversation instead of next to it. */
const ASIDE_FROM_PX = 1000

/** The conversation with an agent, its questions, and the field for the next message. */
export function AgentColumn({ entry, isSelected, isAlone, width, onSelect, onGone }: Props) {
  const readOnly = useReadOnly()
  const { sessionId } = useShownSession()
  const { agentId, name, status, state, waitsFor } = entry
  const { todos, questions, isStarting } = state.agent
  const starting = isStarting || status === "starting" ? (waitsFor ?? startingText(state)) : null
  const field = useRef<HTMLTextAreaElement>(null)
  const column = useRef<HTMLElement>(null)
  const moment = useSessionData(({ replaySeq }) => replaySeq)
  const { thread: loaded, error, loadEarlier } = useThread(agentId)
  const thread = loaded ?? (isStarting && state.run ? taskThread(state.run) : null)
  const hasAside = isAlone && width >= ASIDE_FROM_PX
  const isBusy = status === "busy" || status === "needs_input"
  useCommand("message-agent", `Message ${name}`, isSelected ? () => field.current?.focus() : null)
  useFollowedFocus(column, isSelected)
  const [first] = questions
  return (
    <section
      ref={column}
      aria-label={name}
      aria-current={isSelected && !isAlone ? "true" : undefined}
      data-region={`agent-${agentId}`}
      data-asker={agentId}
      tabIndex={-1}
      onFocus={onSelect}
      onMouseDown={onSelect}
      className={clsx("grid min-h-0 min-w-0", hasAside && "grid-cols-[minmax(0,1fr)_300px]")}
    >
      <div className="grid min-h-0 min-w-0 grid-cols-[minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)_auto]">
        <AgentHead
          entry={entry}
          isSelected={isSelected && !isAlone}
          readOnly={readOnly}
          stops={isSelected}
          onGone={onGone}
        />
        {thread === null ? (
          error === null ? (
            <Skeleton lines={6} />
          ) : (
            <RetryNotice className="self-start" onRetry={loadEarlier}>
              Couldn't load the conversation. {error}
            </RetryNotice>
          )
        ) : thread.length === 0 && starting === null ? (
          <Empty title={`${name} is ready`}>Send a message to get started.</Empty>
        ) : (
          <ThreadList
            subject={`${sessionId} ${agentId}`}
            label={`Conversation with ${name}`}
            thread={thread}
            moment={moment}
            pending={starting}
            isBusy={isBusy || status === "parked"}
            onTop={loadEarlier}
          />
        )}
        <div className="min-h-0 min-w-0 border-t border-line">
          {first && (
            <div className="mx-auto max-h-[45vh] max-w-[852px] overflow-y-auto">
              <QuestionCard
                key={first.questionId}
                sessionId={sessionId}
                questionId={first.questionId}
                runId={first.runId}
                content={first.content}
                asker={questions.length > 1 ? `Question 1 of ${questions.length}` : undefined}
                readOnly={readOnly}
                hasKeys={isSelected}
              />
            </div>
          )}
          <NextQuestion isAsking={first !== undefined} />
          {!hasAside && todos.length > 0 && <TodoBar todos={todos} isBusy={isBusy} />}
          <AgentComposer entry={entry} isSelected={isSelected} field={field} />
        </div>
      </div>
      {hasAside && <AgentAside entry={entry} isBusy={isBusy} />}
    </section>
  )
}

/** The conversation before it is loaded: the task that was just started. */
function taskThread({ firstSeq: seq, startedAt: ts, prompt: text }: RunView): Thread {
  return [{ type: "told", seq, ts, source: "task", text, images: [] }]
}

function startingText({ agent, run }: RosterEntry["state"]): string {
  const program = agent.cli ?? run?.agent
  return `Starting ${program ? cliTitle(program) : "the agent"}…`
}

/** When the user switches to another agent by keyboard, moves the focus there if it was in a column. */
function useFollowedFocus(column: React.RefObject<HTMLElement | null>, isSelected: boolean): void {
  const was = useRef(isSelected)
  useEffect(() => {
    const came = isSelected && !was.current
    was.current = isSelected
    const focused = document.activeElement
    const inOther = focused?.closest("[data-asker]") !== null && !column.current?.contains(focused)
    if (came && inOther) column.current?.focus()
  }, [column, isSelected])
}
