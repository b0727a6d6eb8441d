import { useEffect, useRef } from "react"
import { IconButton } from "../../../ui/button.tsx"
import { Play } from "../../../ui/icons.tsx"
import { Download, Pause } from "../../../ui/session-icons.tsx"
import { type Speed, speeds } from "./player-keys.ts"
import { timecode } from "./recording.ts"
import type { usePlayer } from "./use-player.ts"

/** The player's controls: play and pause, position, and speed. */
export function PlayerStrip({ player, url }: { player: ReturnType<typeof usePlayer>; url: string }) {
  const { loaded, position, playing, toggle, seek, speed, setSpeed } = player
  const length = loaded.state === "ready" ? loaded.recording.length : 0
  const off = loaded.state !== "ready"
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!off) button.current?.focus()
  }, [off])
  return (
    <div className="flex h-11 items-center gap-1 border-t border-line bg-paper px-2 max-md:h-12">
      <IconButton ref={button} label={playing ? "Pause playback" : "Play recording"} onClick={toggle} disabled={off}>
        {playing ? <Pause size={15} aria-hidden /> : <Play size={15} aria-hidden />}
      </IconButton>
      <input
        type="range"
        aria-label="Playback position"
        aria-valuetext={`${timecode(position)} of ${timecode(length)}`}
        min={0}
        max={length}
        step={0.01}
        value={position}
        disabled={off}
        onChange={(event) => seek(event.target.valueAsNumber)}
        className="h-6 min-w-0 flex-1 accent-accent max-md:h-11"
      />
      <span className="shrink-0 px-1 text-sm text-ink-2 nums max-md:text-xs">
        {timecode(position)} / {timecode(length)}
      </span>
      <select
        aria-label="Speed"
        value={speed}
        onChange={(event) => setSpeed(Number(event.target.value) as Speed)}
        className="h-7 rounded-md border border-strong bg-sheet px-1 text-sm nums max-md:h-11"
      >
        {speeds.map((one) => (
          <option key={one} value={one}>
            {one}×
          </option>
        ))}
      </select>
      <a
        href={url}
        download
        aria-label="Download recording"
        title="Download recording (asciicast)"
        className="inline-flex size-8 shrink-0 items-center justify-center rounded-md text-ink-2 hover:bg-well hover:text-ink max-md:size-11"
      >
        <Download size={15} aria-hidden />
      </a>
    </div>
  )
}
