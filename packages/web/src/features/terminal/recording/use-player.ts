import type { Terminal } from "@xterm/xterm"
import { type RefObject, useEffect, useRef, useState } from "react"
import { useStudio } from "../../../session/context/studio.ts"
import { errorText } from "../../../ui/error-text.ts"
import { createTerminal } from "../emulator/create-terminal.ts"
import { useAppearance } from "../emulator/use-appearance.ts"
import { loadRecording } from "./load-recording.ts"
import { createPlayback, type Playback } from "./playback.ts"
import type { PlayerCommand, Speed } from "./player-keys.ts"
import type { Recording } from "./recording.ts"

export type Loaded =
  | { state: "loading"; bytes: number }
  | { state: "ready"; recording: Recording }
  | { state: "failed"; message: string }

/** Plays a recording in an element. `begins`: starts as soon as it has loaded. */
export function usePlayer(url: string, begins: boolean) {
  const [place, terminal] = useQuietTerminal()
  const loaded = useRecording(url)
  const recording = loaded.state === "ready" ? loaded.recording : null
  const playback = useRef<Playback | null>(null)
  const [playing, setPlaying] = useState(begins)
  const [speed, setSpeed] = useState<Speed>(1)
  const [position, setPosition] = useState(0)
  const [size, setSize] = useState({ rows: 24, cols: 80 })
  const at = useRef(0)

  useEffect(() => {
    if (!terminal || !recording) return
    const made = createPlayback(terminal, recording, () => setSize({ rows: terminal.rows, cols: terminal.cols }))
    playback.current = made
    made.show(at.current)
    return () => made.stop()
  }, [terminal, recording])

  const seek = (to: number) => {
    at.current = Math.min(recording?.length ?? 0, Math.max(0, to))
    setPosition(at.current)
    playback.current?.show(at.current)
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: `seek` is of this recording
  useEffect(() => {
    if (!playing || !recording) return
    let frame = 0
    let before = performance.now()
    const tick = (now: number) => {
      // Waits for drawing to catch up instead of skipping output.
      if (!playback.current?.behind) seek(at.current + ((now - before) / 1000) * speed)
      before = now
      if (at.current >= recording.length) return setPlaying(false)
      frame = requestAnimationFrame(tick)
    }
    frame = requestAnimationFrame(tick)
    return () => cancelAnimationFrame(frame)
  }, [playing, recording, speed])

  const toggle = () => {
    if (!playing && recording && at.current >= recording.length) seek(0)
    setPlaying(!playing)
  }
  const run = (command: PlayerCommand) => {
    if (command.type === "toggle") toggle()
    else if (command.type === "seek") seek(command.to)
    else setSpeed(command.speed)
  }
  return { run, place, terminal, loaded, size, position, playing, toggle, seek, speed, setSpeed }
}

function useQuietTerminal(): [RefObject<HTMLDivElement | null>, Terminal | null] {
  const place = useRef<HTMLDivElement>(null)
  const [terminal, setTerminal] = useState<Terminal | null>(null)
  useAppearance(terminal)
  useEffect(() => {
    if (!place.current) return
    const made = createTerminal(place.current)
    made.options.disableStdin = true
    // The player handles all keys.
    made.attachCustomKeyEventHandler(() => false)
    setTerminal(made)
    return () => {
      made.dispose()
      setTerminal(null)
    }
  }, [])
  return [place, terminal]
}

function useRecording(url: string): Loaded {
  const { clock } = useStudio()
  const [loaded, setLoaded] = useState<Loaded>({ state: "loading", bytes: 0 })
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    setLoaded({ state: "loading", bytes: 0 })
    loadRecording(clock.fetch, url, { onProgress: (bytes) => setLoaded({ state: "loading", bytes }), signal }).then(
      (recording) => signal.aborted || setLoaded({ state: "ready", recording }),
      (error: unknown) => {
        if (signal.aborted) return
        setLoaded({ state: "failed", message: errorText(error) })
      },
    )
    return () => controller.abort()
  }, [clock, url])
  return loaded
}
