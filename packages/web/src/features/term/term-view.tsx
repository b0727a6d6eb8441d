import { CircleStop, Expand, MonitorPlay } from "lucide-react"
import { useEffect, useMemo, useRef } from "react"
import { useLocation } from "wouter"
import * as z from "zod"
import { paths } from "../../app/routes.ts"
import { useStudio, useToast } from "../../app/studio.ts"
import type { TerminalView } from "../../stream/agent.ts"
import type { SessionStore } from "../../stream/session-store.ts"
import { isRunning } from "../../stream/view.ts"
import { Button } from "../../ui/button.tsx"
import { Empty } from "../../ui/notice.tsx"
import { Log } from "../run/log.tsx"
import { useRunActions } from "../run/use-run-actions.ts"
import { useSessionData } from "../run/use-session.ts"
import { fitting } from "./fitting.ts"
import { FollowUp } from "./follow-up.tsx"
import { createKeystrokes } from "./keystrokes.ts"
import { useTerminal } from "./use-terminal.ts"

/** A session's terminals, with what its agent says beside them. */
export function TermView({
  session,
  pty,
  readOnly,
}: {
  session: SessionStore
  pty: string | null
  readOnly: string | null
}) {
  const terminals = useSessionData(session, ({ shown }) => shown.agent.terminals)
  const chosen = terminals.find((terminal) => terminal.pty === pty) ?? terminals.at(-1)
  return (
    <div
      data-region="main"
      tabIndex={-1}
      className="grid min-h-0 grid-rows-[auto_minmax(0,1fr)] md:grid-cols-[minmax(0,1fr)_360px]"
    >
      <div className="md:col-span-2">
        <FollowUp session={session} readOnly={readOnly} />
      </div>
      <div className="grid min-h-0 min-w-0 grid-rows-[auto_minmax(0,1fr)] bg-well">
        {chosen ? (
          <Screen key={chosen.pty} session={session} terminal={chosen} terminals={terminals} readOnly={readOnly} />
        ) : (
          <div className="row-span-2">
            <Empty title="No terminal yet">The agent opens one when it begins.</Empty>
          </div>
        )}
      </div>
      <div className="min-h-0 border-l border-line max-md:hidden">
        <Log session={session} cleared={false} />
      </div>
    </div>
  )
}

interface ScreenProps {
  session: SessionStore
  terminal: TerminalView
  terminals: TerminalView[]
  readOnly: string | null
}

function Screen({ session, terminal, terminals, readOnly }: ScreenProps) {
  const { api } = useStudio()
  const toast = useToast()
  const client = useMemo(() => crypto.randomUUID(), [])
  const base = `/api/v1/sessions/${encodeURIComponent(session.sessionId)}/terminals/${terminal.pty}`
  const open = !terminal.closed && readOnly === null
  const type = useMemo(() => {
    const failed = (error: unknown) => toast(error instanceof Error ? error.message : String(error), "err")
    return createKeystrokes(api, `${base}/input`, client, failed)
  }, [api, base, client, toast])
  const [place, state, drawn] = useTerminal(api.url(`${base}/stream?client=${client}`), (text) => {
    if (open) type(text)
  })
  const frame = useRef<HTMLDivElement>(null)

  const resize = async (take: boolean) => {
    const size = drawn && frame.current ? fitting(drawn, frame.current) : null
    if (!size || !open) return
    await api.send("POST", `${base}/resize`, z.unknown(), { body: { client, ...size, take } }).catch(() => undefined)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when there is something to measure
  useEffect(() => {
    resize(false)
  }, [drawn, open])

  return (
    <>
      <TermBar
        session={session}
        terminal={terminal}
        terminals={terminals}
        size={`${state.cols} × ${state.rows}`}
        connected={state.connected || state.ended}
        onTake={open ? () => resize(true) : null}
        recording={api.url(`${base}/recording`)}
      />
      <div ref={frame} className="min-h-0 overflow-auto p-2">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: only catches the chord that leaves the terminal */}
        <div
          ref={place}
          data-pty={terminal.pty}
          onKeyDown={(event) => {
            if (event.ctrlKey && event.shiftKey && event.code === "Backquote") document.getElementById("main")?.focus()
          }}
        />
      </div>
    </>
  )
}

interface BarProps {
  session: SessionStore
  terminal: TerminalView
  terminals: TerminalView[]
  size: string
  connected: boolean
  onTake: (() => void) | null
  recording: string
}

function TermBar({ session, terminal, terminals, size, connected, onTake, recording }: BarProps) {
  const [, go] = useLocation()
  const actions = useRunActions(session)
  const running = useSessionData(session, ({ live }) => isRunning(live.run))
  return (
    <div className="flex h-9 items-center gap-2 border-b border-line bg-paper pr-2 pl-3 text-sm max-md:h-12">
      {terminals.length > 1 ? (
        <select
          aria-label="Terminal"
          value={terminal.pty}
          onChange={(event) => go(paths.term(session.sessionId, event.target.value))}
          className="h-7 max-w-48 rounded-md border border-strong bg-sheet px-1 text-sm max-md:h-11"
        >
          {terminals.map(({ pty, title }, index) => (
            <option key={pty} value={pty}>
              {index + 1}. {title}
            </option>
          ))}
        </select>
      ) : (
        <h2 className="text-sm">{terminal.title}</h2>
      )}
      <span className="text-xs text-ink-3 nums">{size}</span>
      {!connected && <span className="text-xs text-need">connecting</span>}
      {terminal.closed && (
        <span className="text-xs text-ink-3">{terminal.exitCode === null ? "ended" : `exit ${terminal.exitCode}`}</span>
      )}
      <span className="ml-auto flex gap-1">
        {onTake && (
          <Button size="sm" tone="quiet" onClick={onTake} title="Give the terminal the size of this window">
            <Expand size={14} aria-hidden /> <span className="max-lg:unseen">Fit to me</span>
          </Button>
        )}
        {terminal.hasRecording && (
          <a
            href={recording}
            download
            className="inline-flex h-7 items-center gap-1.5 rounded-md px-2 text-sm text-ink-2 hover:bg-well hover:text-ink max-md:min-h-11"
          >
            <MonitorPlay size={14} aria-hidden /> Recording
          </a>
        )}
        {running && (
          <Button size="sm" onClick={actions.stop}>
            <CircleStop size={14} aria-hidden /> Stop
          </Button>
        )}
      </span>
    </div>
  )
}
