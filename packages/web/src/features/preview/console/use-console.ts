import { type RefObject, useEffect, useState } from "react"
import { useStudio } from "../../../session/context/studio.ts"
import { type ConsoleView, emptyConsole, type Report, toReport, withReport } from "./console-rows.ts"

/** More than any page needs. Later messages are ignored. */
const MAX_MESSAGES = 500

/**
 * Collects the reports from the page in a frame. Accepts them only from its origin and its own window. `document`
 * identifies what is loaded in the frame; if it changes, the console is cleared.
 */
export function useConsole(
  frame: RefObject<HTMLIFrameElement | null>,
  page: { root: string; opaque: boolean } | null,
  document: string,
): ConsoleView {
  const { clock } = useStudio()
  const root = page?.root ?? null
  const opaque = page?.opaque ?? false
  const [view, setView] = useState(emptyConsole)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another document is another page
  useEffect(() => {
    setView(emptyConsole)
    if (root === null) return
    const origin = opaque ? "null" : new URL(root).origin
    const left = new AbortController()
    let messages = 0
    let waiting: Report[] = []
    const flush = () => {
      const reports = waiting
      waiting = []
      if (!left.signal.aborted) setView((view) => reports.reduce(withReport, view))
    }
    const receive = (event: MessageEvent) => {
      if (event.origin !== origin || event.source !== frame.current?.contentWindow) return
      if (++messages > MAX_MESSAGES) return window.removeEventListener("message", receive)
      const report = toReport(event.data, root)
      if (report && waiting.push(report) === 1) clock.nextFrame(flush)
    }
    window.addEventListener("message", receive, { signal: left.signal })
    return () => left.abort()
  }, [clock, frame, root, opaque, document])
  return view
}
