import { Suspense, useRef, useState } from "react"
import { Link, useLocation } from "wouter"
import { useHistoryState } from "wouter/use-browser-location"
import { useCommand } from "../../session/context/commands.ts"
import { paths } from "../../session/context/routes.ts"
import type { TerminalView } from "../../session/stream/agent.ts"
import type { SessionStore } from "../../session/stream/session-store.ts"
import { useSessionData } from "../../session/view/use-session.ts"
import { lazyPart } from "../../ui/lazy-part.ts"
import { Empty } from "../../ui/notice.tsx"
import { useWideScreen } from "../../ui/use-media.ts"
import { Log } from "../run/log/log.tsx"
import { AgentFailure } from "./agent-failure.tsx"
import { MessageComposer } from "./message-composer.tsx"
import { TerminalScreen } from "./terminal-screen.tsx"

const SessionQuestions = lazyPart(async () => (await import("../questions/session-questions.tsx")).SessionQuestions)

const parts = ["Terminal", "Log"] as const

interface Props {
  session: SessionStore
  pty: string | null
  readOnly: string | null
}

/** A session's terminals and the agent's log, side by side; on a phone one at a time. */
export function TerminalsView({ session, pty, readOnly }: Props) {
  const terminals = useSessionData(session, ({ shown }) => shown.agent.terminals)
  const replaying = useSessionData(session, ({ replaySeq }) => replaySeq !== null)
  const chosen = chooseTerminal(terminals, pty, replaying)
  const wide = useWideScreen()
  const awaited = useRef(useHistoryState<{ typing?: boolean } | null>()?.typing ?? false)
  useConversationKey(session, chosen?.pty)
  const [part, setPart] = useState<(typeof parts)[number]>("Terminal")
  return (
    <div
      data-region="main"
      tabIndex={-1}
      className="grid min-h-0 grid-cols-[minmax(0,1fr)] grid-rows-[auto_auto_minmax(0,1fr)] md:grid-cols-[minmax(0,1fr)_minmax(280px,26%)]"
    >
      <div className="md:col-span-2">
        <MessageComposer key={session.sessionId} session={session} readOnly={readOnly} />
        <AgentFailure session={session} readOnly={readOnly} />
        <WaitingQuestions session={session} readOnly={readOnly} />
      </div>
      <fieldset className="flex border-b border-line md:col-span-2 md:hidden">
        <legend className="unseen">Part of the work</legend>
        {parts.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={part === name}
            onClick={() => setPart(name)}
            className="min-h-11 flex-1 border-b-2 border-transparent text-sm text-ink-2 aria-pressed:border-accent aria-pressed:font-semibold aria-pressed:text-ink"
          >
            {name}
          </button>
        ))}
      </fieldset>
      {(wide || part === "Terminal") && (
        <div className="row-start-3 min-h-0 min-w-0 bg-well">
          {chosen ? (
            <TerminalScreen
              key={chosen.pty}
              session={session}
              terminal={chosen}
              terminals={terminals}
              readOnly={readOnly}
              awaited={awaited}
            />
          ) : (
            <NoTerminal sessionId={session.sessionId} isNamed={terminals.length > 0} />
          )}
        </div>
      )}
      {(wide || part === "Log") && (
        <div className="row-start-3 min-h-0 min-w-0 border-line md:border-l">
          <Log session={session} />
        </div>
      )}
    </div>
  )
}

/**
 * The terminal that the address names, or the newest one of a run. While a named one isn't known yet there is none:
 * what is typed meanwhile is meant for no other. A replay may stand at a moment before it was opened.
 */
function chooseTerminal(terminals: TerminalView[], pty: string | null, replaying: boolean): TerminalView | undefined {
  const named = terminals.find((terminal) => terminal.pty === pty)
  if (named || (pty !== null && !replaying)) return named
  return terminals.findLast(({ runId }) => runId !== null) ?? terminals.at(-1)
}

function NoTerminal({ sessionId, isNamed }: { sessionId: string; isNamed: boolean }) {
  if (!isNamed) return <Empty title="No terminal yet">The agent opens one when it starts.</Empty>
  return (
    <Empty title="This terminal isn't open yet">
      It appears here as soon as it is.{" "}
      <Link href={paths.term(sessionId)} className="underline">
        Show the agent's terminal
      </Link>
    </Empty>
  )
}

/** The key that leads from a conversation to its terminal leads back, too. */
function useConversationKey(session: SessionStore, pty: string | undefined): void {
  const [, go] = useLocation()
  useCommand("toggle-terminal", "Show the agent's conversation", () => {
    const agents = Object.entries(session.store.getState().shown.agents)
    const owner = agents.find(([, { agent }]) => agent.terminals.some((terminal) => terminal.pty === pty))
    go(paths.agent(session.sessionId, owner?.[1].agent.name ?? owner?.[0]))
  })
}

function WaitingQuestions({ session, readOnly }: { session: SessionStore; readOnly: string | null }) {
  const isAsked = useSessionData(session, ({ shown }) =>
    Object.values(shown.agents).some(({ agent }) => agent.questions.length > 0),
  )
  return (
    isAsked && (
      <Suspense fallback={null}>
        <SessionQuestions session={session} readOnly={readOnly} />
      </Suspense>
    )
  )
}
