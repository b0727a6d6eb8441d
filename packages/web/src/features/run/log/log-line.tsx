import type { Headline } from "@switchyard/core/work/headlines/headline"
import { clsx } from "clsx"
import { memo } from "react"
import type { StudioEvent } from "../../../session/stream/event.ts"
import { lazyPart } from "../../../ui/lazy-part.ts"
import { clockTime } from "../../../ui/time.ts"
import { rowOf } from "./log-rows.ts"

const Markdown = lazyPart(
  async () => (await import("../../../ui/markdown/markdown.tsx")).Markdown,
  ({ text }) => text,
)

const colours = {
  info: "text-ink",
  success: "text-ok",
  warn: "text-need",
  error: "text-err",
  debug: "text-ink-3",
} satisfies Record<Headline["severity"], string>

const speakers = {
  planner: "text-info",
  architect: "text-info",
  coder: "text-accent",
  agent: "text-accent",
  you: "text-need",
  system: "text-ink-3",
} satisfies Record<Headline["who"], string>

interface Props {
  event: StudioEvent
  details: boolean
  /** Name of the agent that the event belongs to, if the session has several. */
  agentName?: string | undefined
}

/** An event. Memoised, so it re-renders only for a different event. */
export const LogLine = memo(function LogLine({ event, details, agentName }: Props) {
  const { who, severity, text, meta, hint } = rowOf(event, { details })
  const name = who === "agent" ? agentName : undefined
  return (
    <div
      data-seq={event.seq}
      data-severity={severity}
      className="grid grid-cols-[auto_minmax(0,1fr)] @min-[400px]:grid-cols-[auto_6em_minmax(0,1fr)] gap-x-2.5 px-3 py-px font-mono text-sm leading-[1.5]"
    >
      <time dateTime={event.ts} className="text-ink-3 nums">
        {clockTime(event.ts)}
      </time>
      <span className={clsx("truncate", name ? "@max-[400px]:hidden" : "@max-[400px]:unseen", speakers[who])}>
        {name ?? who}
      </span>
      <span className={clsx("min-w-0 whitespace-pre-wrap", colours[severity])}>
        {name && <span className={clsx("@min-[400px]:hidden", speakers[who])}>{name} </span>}
        {event.type === "assistant_message" ? <Markdown text={text} /> : text}
        {meta.length > 0 && <span className="text-ink-3"> {meta.join(" · ")}</span>}
        {hint && <span className="block break-words text-ink-2">{hint}</span>}
      </span>
    </div>
  )
})
