import { type RefObject, useState } from "react"
import { useRunActions } from "../../../session/actions/use-run-actions.ts"
import type { TerminalView } from "../../../session/stream/agent.ts"
import { isRunning } from "../../../session/stream/run.ts"
import { useSessionData } from "../../../session/view/use-session.ts"
import { Notice, RetryNotice, Skeleton } from "../../../ui/notice.tsx"
import { useDelay } from "../../../ui/use-delay.ts"
import { KeyBar } from "../controls/key-bar.tsx"
import { isLeaveChord, sequenceFor } from "../controls/keys.ts"
import { SearchBar } from "../controls/search-bar.tsx"
import { TerminalBar } from "../controls/terminal-bar.tsx"
import { useFindKey } from "../controls/use-find-key.ts"
import { ZoomButton } from "../controls/zoom-button.tsx"
import { statusText, type TerminalState } from "./live-state.ts"
import { LostControl } from "./lost-control.tsx"
import { useLiveTerminal } from "./use-live-terminal.ts"
import { useTakeover } from "./use-takeover.ts"

export interface ScreenProps {
  terminal: TerminalView
  terminals: TerminalView[]
  readOnly: string | null
  /** Terminal that the user leaves for the next one, which is then focused. Empty: any; null: no focus is awaited. */
  awaited: RefObject<string | null>
  /** Opens the recording; null if there is none. */
  onPlay: (() => void) | null
  onRetry(): void
}

/** A live terminal, for watching and typing. */
export function LiveScreen({ terminal, terminals, readOnly, awaited, onPlay, onRetry }: ScreenProps) {
  const live = useLiveTerminal(terminal, awaited)
  const { frame, place, state, emulator, open, fit, size } = live
  const [searching, setSearching] = useState(false)
  const { busy, takeOver, handBack, isLost } = useTakeover(terminal, readOnly, awaited)
  const running = useSessionData(({ live }) => isRunning(live.run))
  const failed = useSessionData(({ live: { run } }) => run?.runId === terminal.runId && run?.status === "failed")
  const { stop } = useRunActions()
  useFindKey((event) => {
    // In a terminal that accepts input, this chord belongs to its program.
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
        {isLost ? (
          <LostControl terminal={terminal} terminals={terminals} />
        ) : (
          <ConnectionNotice state={state} onRetry={onRetry} />
        )}
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

/** Covers the screen while the terminal isn't live. */
function ConnectionNotice({ state, onRetry }: { state: TerminalState; onRetry(): void }) {
  const late = useDelay(300)
  if (state.connection === "refused") {
    return (
      <div className="absolute inset-0 bg-well p-3">
        <RetryNotice onRetry={onRetry}>
          Couldn't load this terminal. It may have been deleted with its session.
        </RetryNotice>
      </div>
    )
  }
  if (state.connection === "lost") {
    return (
      <Notice tone="need" className="absolute inset-x-0 bottom-0 border-t border-t-line">
        Disconnected. Showing the last output. You can't type until the connection is back.
      </Notice>
    )
  }
  return late && !state.drawn && !state.ended ? <Skeleton lines={6} className="absolute inset-0 p-6" /> : null
}
