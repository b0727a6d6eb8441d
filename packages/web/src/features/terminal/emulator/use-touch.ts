import type { Terminal } from "@xterm/xterm"
import { type RefObject, useEffect, useRef } from "react"

/** Two fingers make a terminal larger; one scrolls through what it keeps, unless it is larger than its frame. */
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
    let apart = 0
    let before = 0
    const began = ({ touches }: TouchEvent) => {
      before = touches[0]?.clientY ?? 0
      if (touches.length === 2) apart = distance(touches) / latest.current.zoom
    }
    const moved = (event: TouchEvent) => {
      const { touches } = event
      if (touches.length === 2) {
        event.preventDefault()
        latest.current.setZoom(distance(touches) / apart)
      } else if (latest.current.zoom === 1) {
        const row = (terminal.element?.clientHeight ?? 0) / terminal.rows || 1
        const lines = Math.trunc((before - (touches[0]?.clientY ?? 0)) / row)
        terminal.scrollLines(lines)
        before -= lines * row
      }
    }
    element.addEventListener("touchstart", began, { passive: true, signal: controller.signal })
    element.addEventListener("touchmove", moved, { passive: false, signal: controller.signal })
    return () => controller.abort()
  }, [frame, terminal])
}

function distance([one, other]: TouchList): number {
  if (!one || !other) return 1
  return Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY)
}
