import { type RefObject, useEffect, useRef, useState } from "react"
import { Link, useLocation } from "wouter"
import { useHistoryState } from "wouter/use-browser-location"
import { useCommand } from "../../session/context/commands.ts"
import { paths } from "../../session/context/routes.ts"
import type { TerminalView } from "../../session/stream/agent.ts"
import { useReplay } from "../../session/view/use-replay.ts"
import { useReadOnly, useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { lazyPart } from "../../ui/lazy-part.ts"
import { Empty } from "../../ui/notice.tsx"
import { PartTabs } from "../../ui/part-tabs.tsx"
import { useWideScreen } from "../../ui/use-media.ts"
import { Log } from "../run/log/log.tsx"
import { AgentFailure } from "./agent-failure.tsx"
import { agentOfTerminal } from "./live/agent-of-terminal.ts"
import { LiveScreen, type ScreenProps } from "./live/live-screen.tsx"
import { nextTerminal } from "./live/next-terminal.ts"
import { MessageComposer } from "./message-composer.tsx"
import { PlayerScreen } from "./recording/player-screen.tsx"

const SessionQuestions = lazyPart(async () => (await import("../questions/session-questions.tsx")).SessionQuestions)

const parts = ["Terminal", "Log"] as const

/** A session's terminals and the agent's log side by side; on phones, one at a time. */
export function TerminalsView({ pty }: { pty: string | null }) {
  const readOnly = useReadOnly()
  const { sessionId } = useShownSession()
  const terminals = useSessionData(({ shown }) => shown.agent.terminals)
  const replaying = useSessionData(({ replaySeq }) => replaySeq !== null)
  const chosen = chooseTerminal(terminals, pty, replaying)
  const wide = useWideScreen()
  const awaited = useRef(useHistoryState<{ typing?: boolean } | null>()?.typing ? "" : null)
  useConversationKey(chosen?.pty)
  useNextTerminal(chosen, terminals, awaited)
  const [part, setPart] = useState<(typeof parts)[number]>("Terminal")
  return (
    <div
      data-region="main"
      tabIndex={-1}
      className="grid min-h-0 grid-cols-[minmax(0,1fr)] grid-rows-[auto_auto_minmax(0,1fr)] md:grid-cols-[minmax(0,1fr)_minmax(280px,26%)]"
    >
      <div className="max-h-[45dvh] overflow-y-auto md:col-span-2">
        <MessageComposer key={sessionId} />
        <AgentFailure />
        <WaitingQuestions />
      </div>
      <PartTabs legend="View" parts={parts} shown={part} onShow={setPart} className="md:col-span-2 md:hidden" />
      {(wide || part === "Terminal") && (
        <div className="row-start-3 min-h-0 min-w-0 bg-well">
          {chosen ? (
            <TerminalScreen
              key={chosen.pty}
              terminal={chosen}
              terminals={terminals}
              readOnly={readOnly}
              awaited={awaited}
            />
          ) : (
            <NoTerminal isNamed={terminals.length > 0} />
          )}
        </div>
      )}
      {(wide || part === "Log") && (
        <div className="row-start-3 min-h-0 min-w-0 border-line md:border-l">
          <Log />
        </div>
      )}
    </div>
  )
}

/**
 * Returns the terminal named in the URL, or the latest one of a run. Undefined if a named one isn't known yet, because
 * what is typed meanwhile is meant for that one. A replay may be at a moment before it was opened.
 */
function chooseTerminal(terminals: TerminalView[], pty: string | null, replaying: boolean): TerminalView | undefined {
  const named = terminals.find((terminal) => terminal.pty === pty)
  if (named || (pty !== null && !replaying)) return named
  return terminals.findLast(({ runId }) => runId !== null) ?? terminals.at(-1)
}

function NoTerminal({ isNamed }: { isNamed: boolean }) {
  const { sessionId } = useShownSession()
  if (!isNamed) return <Empty title="No terminal yet">The terminal opens when the agent starts.</Empty>
  return (
    <Empty title="Terminal not open yet">
      The terminal appears here once it opens.{" "}
      <Link href={paths.term(sessionId)} className="underline">
        Show the agent's terminal
      </Link>
    </Empty>
  )
}

/**
 * Goes from a terminal that closes to the next one of its run, if the user has requested that by taking control of the
 * agent or handing it back.
 */
function useNextTerminal(
  shown: TerminalView | undefined,
  terminals: TerminalView[],
  awaited: RefObject<string | null>,
): void {
  const { sessionId } = useShownSession()
  const [, go] = useLocation()
  const next = shown?.closed ? nextTerminal(shown, terminals)?.pty : undefined
  useEffect(() => {
    if (next !== undefined && awaited.current !== null) go(paths.term(sessionId, next), { replace: true })
  }, [next, awaited, go, sessionId])
}

/** The shortcut that leads from a conversation to its terminal also leads back. */
function useConversationKey(pty: string | undefined): void {
  const session = useShownSession()
  const [, go] = useLocation()
  useCommand("toggle-terminal", "Show the agent's conversation", () => {
    go(paths.agent(session.sessionId, agentOfTerminal(session.store.getState().shown.agents, pty)))
  })
}

function WaitingQuestions() {
  const isAsked = useSessionData(({ shown }) =>
    Object.values(shown.agents).some(({ agent }) => agent.questions.length > 0),
  )
  return isAsked && <SessionQuestions />
}

/** A terminal, live or recorded. */
function TerminalScreen(props: Omit<ScreenProps, "onPlay" | "onRetry">) {
  const { terminal } = props
  const [attempt, setAttempt] = useState(0)
  const [playing, setPlaying] = useState(false)
  const { replaying, at } = useReplay()
  // At an earlier moment, the view doesn't know yet that there will be a recording.
  const recorded = useSessionData(({ live }) => live.agent.terminals.some(isRecorded(terminal.pty)))
  const retry = () => setAttempt(attempt + 1)
  if (recorded && (playing || replaying)) {
    const moment = replaying && at ? Date.parse(at) : null
    return <PlayerScreen key={attempt} {...props} moment={moment} onClose={() => setPlaying(false)} onRetry={retry} />
  }
  return <LiveScreen key={attempt} {...props} onPlay={recorded ? () => setPlaying(true) : null} onRetry={retry} />
}

function isRecorded(wanted: string) {
  return ({ pty, hasRecording }: { pty: string; hasRecording: boolean }) => pty === wanted && hasRecording
}
