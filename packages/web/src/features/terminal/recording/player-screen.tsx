import { formatBytes } from "@switchyard/core/text/format"
import { type KeyboardEvent, useEffect, useRef, useState } from "react"
import { useShownSession } from "../../../session/view/use-session.ts"
import { Notice, RetryNotice, Skeleton } from "../../../ui/notice.tsx"
import { useDelay } from "../../../ui/use-delay.ts"
import { SearchBar } from "../controls/search-bar.tsx"
import { TerminalBar } from "../controls/terminal-bar.tsx"
import { useFindKey } from "../controls/use-find-key.ts"
import { ZoomButton } from "../controls/zoom-button.tsx"
import { useFit } from "../emulator/use-fit.ts"
import { useTouch } from "../emulator/use-touch.ts"
import type { ScreenProps } from "../live/live-screen.tsx"
import { playerCommand } from "./player-keys.ts"
import { PlayerStrip } from "./player-strip.tsx"
import { shownTime } from "./recording.ts"
import { type Loaded, usePlayer } from "./use-player.ts"

interface Props extends Pick<ScreenProps, "terminal" | "terminals" | "readOnly" | "onRetry"> {
  /** The moment of the session's replay, in milliseconds since the epoch; null to play independently. */
  moment: number | null
  onClose(): void
}

/** A recorded terminal, played independently or at the moment of the session's replay. */
export function PlayerScreen({ terminal, terminals, readOnly, onRetry, moment, onClose }: Props) {
  const { sessionId, api } = useShownSession()
  const url = api.url("GET /api/v1/sessions/{id}/terminals/{pty}/recording", {
    path: { id: sessionId, pty: terminal.pty },
  })
  const player = usePlayer(url, moment === null)
  const { loaded, seek } = player
  const frame = useRef<HTMLDivElement>(null)
  const fit = useFit(player.terminal, frame, player.size)
  useTouch(frame, player.terminal, fit)
  const [searching, setSearching] = useState(false)
  useFindKey((event) => {
    event.preventDefault()
    setSearching(true)
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the line has moved
  useEffect(() => {
    if (moment === null || loaded.state !== "ready") return
    const { recording } = loaded
    seek(shownTime(recording, (moment - recording.beganAtMs) / 1000))
  }, [moment, loaded])

  const pressed = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || moment !== null || hasKeysOfItsOwn(event)) return
    const command = playerCommand(event.key, player)
    if (!command) return
    event.preventDefault()
    player.run(command)
  }

  return (
    <section
      aria-label={`Recording of ${terminal.title}`}
      className="grid h-full min-h-0 min-w-0 grid-cols-[minmax(0,1fr)] grid-rows-[auto_auto_minmax(0,1fr)_auto]"
      onKeyDown={pressed}
    >
      <TerminalBar
        terminal={terminal}
        terminals={terminals}
        status={`${player.size.cols} × ${player.size.rows} · recording`}
        busy={false}
        actions={{ find: player.terminal && (() => setSearching(true)), close: moment === null ? onClose : null }}
      />
      {searching && player.terminal ? (
        <SearchBar terminal={player.terminal} onClose={() => setSearching(false)} />
      ) : (
        <div />
      )}
      <div className="relative min-h-0 min-w-0">
        <div ref={frame} className="h-full overflow-auto p-2">
          <div ref={player.place} data-pty={terminal.pty} />
        </div>
        <ZoomButton zoom={fit.zoom} setZoom={fit.setZoom} />
        <LoadingNotice loaded={loaded} onRetry={onRetry} />
      </div>
      {moment === null ? (
        <PlayerStrip player={player} url={url} />
      ) : (
        <Notice className="border-t border-t-line">{readOnly}</Notice>
      )}
    </section>
  )
}

/** Returns true if the focused element handles the key itself. */
function hasKeysOfItsOwn({ key, target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.closest(".xterm")) return false
  if (target.closest("select, textarea, input:not([type=range])")) return true
  return key === " " && target.closest("button, a") !== null
}

function LoadingNotice({ loaded, onRetry }: { loaded: Loaded; onRetry(): void }) {
  const late = useDelay(300)
  if (loaded.state === "failed") {
    return (
      <div className="absolute inset-0 bg-well p-3">
        <RetryNotice onRetry={onRetry}>{loaded.message}</RetryNotice>
      </div>
    )
  }
  if (loaded.state === "ready" || !late) return null
  return (
    <div className="absolute inset-0 p-6">
      <p role="status" className="mb-3 text-sm text-ink-3 nums">
        Loading the recording{loaded.bytes > 0 ? `, ${formatBytes(loaded.bytes)}` : ""}
      </p>
      <Skeleton lines={6} />
    </div>
  )
}
