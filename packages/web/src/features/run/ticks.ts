import type { StudioEvent } from "../../stream/event.ts"

export const lanes = ["plan", "edit", "say", "you", "error"] as const
export type Lane = (typeof lanes)[number]

export interface Bar {
  lane: Lane
  /** From 0 to 1. */
  height: number
}

/** The kinds of work that the run line tells apart by colour. */
function laneOf(event: StudioEvent): Lane {
  switch (event.type) {
    case "run_failed":
    case "model_retried":
    case "run_relaunched":
      return "error"
    case "run_parked":
      return "you"
    case "workspace_committed":
    case "tool_call_started":
    case "tool_call_finished":
      return "edit"
    case "node_started":
    case "node_finished":
      return event.node === "coder" ? "edit" : "plan"
    default:
      return "say"
  }
}

/** How much a lane has to say where several fall together. */
const weight = { say: 0, plan: 1, edit: 2, error: 3, you: 4 } satisfies Record<Lane, number>

/** The events, gathered into so many bars: as tall as there are many, in the colour of what matters most among them. */
export function barsOf(events: readonly StudioEvent[], count: number): (Bar | null)[] {
  if (events.length === 0 || count <= 0) return []
  const width = Math.min(count, Math.max(events.length, 24))
  const bars = Array.from({ length: width }, () => ({ lane: "say" as Lane, size: 0 }))
  events.forEach((event, index) => {
    const bar = bars[Math.min(width - 1, Math.floor((index * width) / Math.max(events.length, width)))]
    if (!bar) return
    const lane = laneOf(event)
    bar.size += sizeOf(event)
    if (weight[lane] > weight[bar.lane]) bar.lane = lane
  })
  const tallest = Math.max(...bars.map((bar) => bar.size))
  return bars.map(({ lane, size }) => (size === 0 ? null : { lane, height: 0.2 + 0.8 * Math.sqrt(size / tallest) }))
}

function sizeOf(event: StudioEvent): number {
  if (event.type === "model_text") return 1 + event.text.length / 40
  if (event.type === "workspace_committed") return 8
  return event.type === "node_started" || event.type === "node_finished" ? 4 : 2
}
