import { showBidiControls } from "@switchyard/core/text/bidi-controls"
import { clsx } from "clsx"
import type { ReactNode } from "react"
import type { Part } from "./changed-part.ts"

/** A coloured part of a line, with an exclusive end. */
export type Span = readonly [from: number, to: number, classes: string]

interface Props {
  text: string
  /** Parts that differ from the line's counterpart, in order. */
  changed?: readonly Part[] | undefined
  /** Syntax colours, in order. */
  spans?: readonly Span[] | undefined
  /** Look of the changed parts. */
  mark: string
}

/** A line of code with syntax colours and marks on what has changed. Shows invisible direction controls. */
export function CodeText({ text, changed = [], spans = [], mark }: Props) {
  const parts: ReactNode[] = []
  let at = 0
  for (const [from, to] of changed) {
    parts.push(...coloured(text, spans, at, from))
    parts.push(
      // Syntax colours would have too little contrast on a mark.
      <mark key={`mark-${from.toString()}`} className={clsx("rounded-xs text-ink", mark)}>
        {showBidiControls(text.slice(from, to))}
      </mark>,
    )
    at = to
  }
  return [...parts, ...coloured(text, spans, at, text.length)]
}

function coloured(text: string, spans: readonly Span[], from: number, to: number): ReactNode[] {
  const parts: ReactNode[] = []
  let at = from
  for (const [start, end, classes] of spans) {
    const [first, last] = [Math.max(start, at), Math.min(end, to)]
    if (first >= last) continue
    if (first > at) parts.push(showBidiControls(text.slice(at, first)))
    parts.push(
      <span key={first} className={classes}>
        {showBidiControls(text.slice(first, last))}
      </span>,
    )
    at = last
  }
  if (at < to) parts.push(showBidiControls(text.slice(at, to)))
  return parts
}
