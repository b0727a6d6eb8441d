import { type RefObject, useEffect, useMemo, useRef, useState } from "react"
import { useStudio, useToast } from "../../../session/context/studio.ts"
import type { TerminalView } from "../../../session/stream/agent.ts"
import type { SessionStore } from "../../../session/stream/session-store.ts"
import { isRunning } from "../../../session/stream/view.ts"
import { useSessionData } from "../../../session/view/use-session.ts"
import { Notice } from "../../../ui/notice.tsx"
import { useWideScreen } from "../../../ui/use-media.ts"
import { useRunActions } from "../../run/prompt/use-run-actions.ts"
import { KeyBar } from "../controls/key-bar.tsx"
import { isFindChord, isLeaveChord, sequenceFor, withCtrl } from "../controls/keys.ts"
import { SearchBar } from "../controls/search-bar.tsx"
import { TerminalBar } from "../controls/terminal-bar.tsx"
import { useFindKey } from "../controls/use-find-key.ts"
import { ZoomButton } from "../controls/zoom-button.tsx"
import { useFit } from "../emulator/use-fit.ts"
import { useTouch } from "../emulator/use-touch.ts"
import { ConnectionNotice } from "./connection-notice.tsx"
import { createInputQueue } from "./input-queue.ts"
import { useSize } from "./use-size.ts"
import { useTakeover } from "./use-takeover.ts"
import { type TerminalState, useTerminal } from "./use-terminal.ts"

export interface ScreenProps {
  session: SessionStore
  terminal: TerminalView
  terminals: TerminalView[]
  readOnly: string | null
  /** Whether somebody has asked for the next terminal, and is to find themselves in it. */
  awaited: RefObject<boolean>
  /** Shows the recording in its place; null where there is none. */
  onPlay: (() => void) | null
  onRetry(): void
}

/** A terminal as it is now, to watch and to type into. */
export function LiveScreen({ session, terminal, terminals, readOnly, awaited, onPlay, onRetry }: ScreenProps) {
  const { api } = useStudio()
  const toast = useToast()
  const wide = useWideScreen()
  const client = useMemo(() => crypto.randomUUID(), [])
  const path = useMemo(() => ({ id: session.sessionId, pty: terminal.pty }), [session.sessionId, terminal.pty])
  const frame = useRef<HTMLDivElement>(null)
  const [searching, setSearching] = useState(false)
  const [ctrl, setCtrl] = useState(false)
  const send = useMemo(() => {
    const failed = (error: unknown) => toast(error instanceof Error ? error.message : String(error), "err")
    return createInputQueue(api, path, client, failed)
  }, [api, path, client, toast])
  const type = (text: string) => {
    if (!open) return
    send(ctrl ? withCtrl(text) : text)
    setCtrl(false)
  }
  const url = api.url("GET /api/v1/sessions/{id}/terminals/{pty}/stream", { path, query: { client } })
  const [place, state, drawn] = useTerminal(url, type, takes)
  const past = useSessionData(session, (data) => data.replaySeq !== null)
  const open = !terminal.closed && !past && state.connection === "live" && !state.ended
  const fit = useFit(drawn, frame, state)
  const size = useSize(api, path, client, { terminal: drawn, frame, size: state, ...fit }, { open, asks: wide })
  useTouch(frame, drawn, fit)
  const { busy, takeOver, handBack } = useTakeover(session, terminal, readOnly, awaited)
  const running = useSessionData(session, ({ live }) => isRunning(live.run))
  const { stop } = useRunActions(session)
  const focus = () => drawn?.focus()
  useEffect(() => {
    if (!drawn || !open || !awaited.current) return
    awaited.current = false
    drawn.focus()
  }, [drawn, open, awaited])
  useFindKey((event) => {
    // Where a program hears the keys, this one is the program's.
    if (open && place.current?.contains(event.target as Node)) return
    event.preventDefault()
    setSearching(true)
  })

  /** A terminal that nobody can type into has no use for the page's own chords. */
  function takes(event: KeyboardEvent): boolean {
    return !isLeaveChord(event) && (open || !isFindChord(event))
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only catches the chord that leaves the terminal
    <div
      className="grid h-full min-h-0 min-w-0 grid-cols-[minmax(0,1fr)] grid-rows-[auto_auto_minmax(0,1fr)_auto]"
      onKeyDown={(event) => {
        if (isLeaveChord(event)) document.getElementById("main")?.focus()
      }}
    >
      <TerminalBar
        sessionId={session.sessionId}
        terminal={terminal}
        terminals={terminals}
        told={toldOf(terminal, state, size.mine)}
        busy={busy}
        actions={{
          takeOver,
          handBack,
          find: drawn && (() => setSearching(true)),
          fit: open && !size.mine ? size.take : null,
          play: onPlay,
          stop: running && readOnly === null ? stop : null,
        }}
      />
      {searching && drawn ? (
        <SearchBar
          terminal={drawn}
          onClose={() => {
            setSearching(false)
            focus()
          }}
        />
      ) : (
        <div />
      )}
      <div className="relative min-h-0 min-w-0">
        <div
          ref={frame}
          className="h-full overflow-auto p-2"
          style={{ touchAction: fit.zoom === 1 ? "none" : "pan-x pan-y" }}
        >
          <div ref={place} data-pty={terminal.pty} className={state.connection === "lost" ? "opacity-50" : undefined} />
        </div>
        <ZoomButton zoom={fit.zoom} setZoom={fit.setZoom} />
        <ConnectionNotice state={state} onRetry={onRetry} />
      </div>
      <div>
        {past && <Notice className="border-t border-t-line">{readOnly}</Notice>}
        {open && (
          <KeyBar
            ctrl={ctrl}
            onCtrl={() => setCtrl(!ctrl)}
            onKey={(key) => type(sequenceFor(key, { application: drawn?.modes.applicationCursorKeysMode ?? false }))}
          />
        )}
      </div>
    </div>
  )
}

function toldOf(terminal: TerminalView, state: TerminalState, mine: boolean): string {
  const size = `${state.cols} × ${state.rows}`
  if (terminal.closed || state.ended) {
    return `${size} · ${terminal.exitCode ? `exit ${terminal.exitCode}` : "ended"}`
  }
  if (state.connection === "connecting") return "connecting"
  return mine ? `${size} yours` : size
}
