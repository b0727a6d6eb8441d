import type { Terminal } from "@xterm/xterm"
import { type RefObject, useEffect, useState } from "react"
import { useBrowser } from "../../../session/context/studio.ts"
import { scaledFont } from "./fit.ts"
import type { Size } from "./grid.ts"

const MOST_ZOOM = 4

/**
 * Scales a terminal so that all of its columns are visible, times the user's zoom. `room` changes with the frame's
 * size.
 */
export function useFit(terminal: Terminal | null, frame: RefObject<HTMLElement | null>, { rows, cols }: Size) {
  const fontPx = useBrowser((state) => state.preferences.terminal_font_px)
  const [zoom, setZoom] = useState(1)
  const [room, setRoom] = useState(0)

  useEffect(() => {
    if (!frame.current) return
    const observer = new ResizeObserver(() => setRoom((count) => count + 1))
    observer.observe(frame.current)
    return () => observer.disconnect()
  }, [frame])

  // biome-ignore lint/correctness/useExhaustiveDependencies: measured anew when the room or the terminal's size has changed
  useEffect(() => {
    if (!terminal || !frame.current) return
    terminal.options.fontSize = scaledFont(terminal, frame.current, fontPx) * zoom
  }, [terminal, frame, fontPx, zoom, room, rows, cols])

  return { room, fontPx, zoom, setZoom: (next: number) => setZoom(Math.min(MOST_ZOOM, Math.max(1, next))) }
}
