import type { Terminal } from "@xterm/xterm"
import { type RefObject, useEffect, useRef } from "react"
import { beginGesture, moveGesture, noGesture } from "./touch-gesture.ts"

/** Zooms a terminal with two fingers, and scrolls it with one. */
export function useTouch(
  frame: RefObject<HTMLElement | null>,
  terminal: Terminal | null,
  { zoom, setZoom }: { zoom: number; setZoom(zoom: number): void },
): void {
  const latest = useRef({ zoom, setZoom })
  latest.current = { zoom, setZoom }
  useEffect(() => {
    const element = frame.current
    if (!element || !terminal) return
    const controller = new AbortController()
    let gesture = noGesture
    const began = ({ touches }: TouchEvent) => {
      gesture = beginGesture(gesture, [...touches], latest.current.zoom)
    }
    const moved = (event: TouchEvent) => {
      const rowPx = (terminal.element?.clientHeight ?? 0) / terminal.rows || 1
      const next = moveGesture(gesture, [...event.touches], { zoom: latest.current.zoom, rowPx })
      gesture = next.gesture
      if (next.zoom !== undefined) {
        event.preventDefault()
        latest.current.setZoom(next.zoom)
      }
      if (next.lines !== undefined) terminal.scrollLines(next.lines)
    }
    element.addEventListener("touchstart", began, { passive: true, signal: controller.signal })
    element.addEventListener("touchmove", moved, { passive: false, signal: controller.signal })
    return () => controller.abort()
  }, [frame, terminal])
}
