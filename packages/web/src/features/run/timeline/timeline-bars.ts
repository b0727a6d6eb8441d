import type { StudioEvent } from "../../../session/stream/event.ts"

export const lanes = ["plan", "edit", "other", "you", "error"] as const
export type Lane = (typeof lanes)[number]

export interface Bar {
  lane: Lane
  /** From 0 to 1. */
  height: number
}

/** Returns the kind of work, which determines the colour on the timeline. */
function laneOf(event: StudioEvent): Lane {
  switch (event.type) {
    case "run_failed":
    case "model_retried":
    case "model_replaced":
    case "answer_rejected":
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
      return "other"
  }
}

/** Priority of each kind if several share a bar. */
const weight = { other: 0, plan: 1, edit: 2, error: 3, you: 4 } satisfies Record<Lane, number>
/** Size assumed for events that aren't loaded: nearly all of them are a few words from a model. */
const UNREAD = 3

/**
 * Groups a log into bars: the height is the amount of work, the colour the most important kind. `known` contains the
 * loaded ones of the `total` events starting at `firstSeq`, in any order.
 */
export function barsOf(
  known: Iterable<StudioEvent>,
  { firstSeq, total }: { firstSeq: number; total: number },
  count: number,
): (Bar | null)[] {
  if (total === 0 || count <= 0) return []
  const width = Math.min(count, Math.max(total, 24))
  const span = Math.max(total, width)
  const at = (index: number) => Math.floor((index * width) / span)
  // Computed instead of counted, because each new event recreates the bars, however many events there are.
  const before = (bar: number) => Math.min(total, Math.ceil((bar * span) / width))
  const bars = Array.from({ length: width }, (_, bar) => ({
    lane: "other" as Lane,
    size: 0,
    unread: before(bar + 1) - before(bar),
  }))
  for (const event of known) {
    const bar = bars[at(event.seq - firstSeq)]
    if (!bar) continue
    const lane = laneOf(event)
    bar.unread--
    bar.size += sizeOf(event)
    if (weight[lane] > weight[bar.lane]) bar.lane = lane
  }
  const sizes = bars.map(({ size, unread }) => size + unread * UNREAD)
  const tallest = Math.max(...sizes)
  return bars.map(({ lane }, index) => {
    const size = sizes[index] ?? 0
    return size === 0 ? null : { lane, height: 0.2 + 0.8 * Math.sqrt(size / tallest) }
  })
}

function sizeOf(event: StudioEvent): number {
  if (event.type === "model_text") return 1 + event.text.length / 40
  if (event.type === "workspace_committed") return 8
  return event.type === "node_started" || event.type === "node_finished" ? 4 : 2
}

const MAX_BAR_PX = 4
const TALLEST_PX = 26
const BASE_PX = 35

/**
 * Returns the bars of one kind as an SVG path, so that each kind needs only one element, however many events there are.
 */
export function barPath(bars: readonly (Bar | null)[], lane: Lane, width: number): string {
  const step = width / Math.max(bars.length, 1)
  const barWidth = Math.min(step - 1, MAX_BAR_PX)
  return bars
    .map((bar, index) => (bar?.lane === lane ? box(index * step, barWidth, TALLEST_PX * bar.height) : ""))
    .join("")
}

function box(x: number, width: number, height: number): string {
  return `M${x.toFixed(1)} ${(BASE_PX - height).toFixed(1)}h${width.toFixed(1)}V${BASE_PX}h-${width.toFixed(1)}Z`
}
