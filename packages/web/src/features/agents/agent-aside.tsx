import { dollars } from "@switchyard/core/people/usage/amounts"
import type { ReactNode } from "react"
import { paths } from "../../session/context/routes.ts"
import { MAIN } from "../../session/stream/run.ts"
import { workOf } from "../../session/stream/view.ts"
import type { RosterEntry } from "../../session/thread/roster.ts"
import { useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { TextLink } from "../../ui/text-link.tsx"
import { RunPrice } from "../run/conversation/run-price.tsx"
import { TodoList } from "./todo-list.tsx"

/** Panel next to a conversation: the agent's plan, where it is working, and the cost so far. */
export function AgentAside({ entry: { name, state }, isBusy }: { entry: RosterEntry; isBusy: boolean }) {
  const { sessionId } = useShownSession()
  const { todos, costUsd, progress } = state.agent
  const worktree = state.agent.worktree ?? state.run?.worktree ?? MAIN
  const files = useSessionData(({ shown }) => (worktree === MAIN ? shown.files.manifest.files.length : 0))
  const branch = useSessionData(({ shown }) => workOf(shown.worktrees, worktree).branch)
  const done = todos.filter(({ status }) => status === "completed").length
  return (
    <aside
      aria-label={`About ${name}`}
      className="flex min-h-0 flex-col gap-5 overflow-y-auto border-l border-line px-4 py-3"
    >
      {todos.length > 0 && (
        <Part title="Plan" note={`${done} of ${todos.length} done`}>
          <TodoList todos={todos} isBusy={isBusy} />
        </Part>
      )}
      {progress && (
        <Part title="Progress">
          <p className="text-sm text-ink-2">{progress}</p>
        </Part>
      )}
      <Part title="Details">
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 text-sm">
          {branch !== null && (
            <>
              <dt className="text-ink-3">Branch</dt>
              <dd className="truncate font-mono text-xs leading-5" title={branch}>
                {branch}
              </dd>
            </>
          )}
          {files > 0 && (
            <>
              <dt className="text-ink-3">Files</dt>
              <dd className="nums">
                <TextLink href={paths.files(sessionId)}>{files}</TextLink>
              </dd>
            </>
          )}
          {costUsd !== null && costUsd > 0 && (
            <>
              <dt className="text-ink-3">Cost</dt>
              <dd className="nums">{dollars(costUsd)}</dd>
            </>
          )}
        </dl>
        {state.run && state.run.durationMs !== null && (
          <p className="mt-1 text-xs">
            <RunPrice runId={state.run.runId} />
          </p>
        )}
        <TextLink href={paths.changes(sessionId)} className="mt-2 inline-block text-sm">
          Review changes
        </TextLink>
      </Part>
    </aside>
  )
}

function Part({ title, note, children }: { title: string; note?: string; children: ReactNode }) {
  return (
    <section>
      <h3 className="mb-2 flex items-baseline justify-between text-sm">
        {title} {note && <span className="text-xs font-normal text-ink-3 nums">{note}</span>}
      </h3>
      {children}
    </section>
  )
}
