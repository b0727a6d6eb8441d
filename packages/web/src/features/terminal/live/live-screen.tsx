import { type RefObject, useState } from "react"
import type { TerminalView } from "../../../session/stream/agent.ts"
import { isRunning } from "../../../session/stream/run.ts"
import type { SessionStore } from "../../../session/stream/session-store.ts"
import { useSessionData } from "../../../session/view/use-session.ts"
import { Notice } from "../../../ui/notice.tsx"
import { useRunActions } from "../../run/prompt/use-run-actions.ts"
import { KeyBar } from "../controls/key-bar.tsx"
import { isLeaveChord, sequenceFor } from "../controls/keys.ts"
import { SearchBar } from "../controls/search-bar.tsx"
import { TerminalBar } from "../controls/terminal-bar.tsx"
import { useFindKey } from "../controls/use-find-key.ts"
import { ZoomButton } from "../controls/zoom-button.tsx"
import { ConnectionNotice } from "./connection-notice.tsx"
import { statusText } from "./live-state.ts"
import { useLiveTerminal } from "./use-live-terminal.ts"
import { useTakeover } from "./use-takeover.ts"

export interface ScreenProps {
  session: SessionStore
  terminal: TerminalView
  terminals: TerminalView[]
  readOnly: string | null
  /** Whether the user has requested the next terminal, which is then focused. */
  awaited: RefObject<boolean>
  /** Opens the recording; null where there is none. */
  onPlay: (() => void) | null
  onRetry(): void
}

/** A live terminal, to watch and to type into. */
export function LiveScreen({ session, terminal, terminals, readOnly, awaited, onPlay, onRetry }: ScreenProps) {
  const live = useLiveTerminal(session, terminal, awaited)
  const { frame, place, state, emulator, open, fit, size } = live
  const [searching, setSearching] = useState(false)
  const { busy, takeOver, handBack } = useTakeover(session, terminal, readOnly, awaited)
  const running = useSessionData(session, ({ live }) => isRunning(live.run))
  const failed = useSessionData(
    session,
    ({ live: { run } }) => run?.runId === terminal.runId && run?.status === "failed",
  )
  const { stop } = useRunActions(session)
  useFindKey((event) => {
    // In a terminal that takes input, this chord belongs to its program.
    if (open && place.current?.contains(event.target as Node)) return
    event.preventDefault()
    setSearching(true)
  })
  const closeSearch = () => {
    setSearching(false)
    emulator?.focus()
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
        status={statusText(terminal, state, { ownsSize: size.mine, failed })}
        busy={busy}
        actions={{
          takeOver,
          handBack,
          find: emulator && (() => setSearching(true)),
          fit: open && !size.mine ? size.take : null,
          play: onPlay,
          stop: running && readOnly === null ? stop : null,
        }}
      />
      {searching && emulator ? <SearchBar terminal={emulator} onClose={closeSearch} /> : <div />}
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
      <Footer live={live} readOnly={readOnly} />
    </div>
  )
}

function Footer({ live, readOnly }: { live: ReturnType<typeof useLiveTerminal>; readOnly: string | null }) {
  const { emulator, open, replaying, input, type } = live
  return (
    <div>
      {replaying && <Notice className="border-t border-t-line">{readOnly}</Notice>}
      {open && (
        <KeyBar
          ctrl={input.ctrl}
          onCtrl={input.toggleCtrl}
          onKey={(key) => type(sequenceFor(key, { application: emulator?.modes.applicationCursorKeysMode ?? false }))}
        />
      )}
    </div>
  )
}
