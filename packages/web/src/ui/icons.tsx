import type { SVGProps } from "react"

export type IconState = "idle" | "busy" | "waiting" | "needs_input" | "done" | "error"

const words = {
  idle: "Idle",
  busy: "Working",
  waiting: "Continues later",
  needs_input: "Needs you",
  done: "Done",
  error: "Failed",
} satisfies Record<IconState, string>

/**
 * A status shown as a shape, so that it doesn't depend on telling colours apart. `label` is null if there is text next
 * to it.
 */
export function StatusIcon({
  state,
  size = 14,
  label = words[state],
}: {
  state: IconState
  size?: number
  label?: string | null
}) {
  return (
    <span className="relative inline-flex shrink-0">
      <svg aria-hidden="true" width={size} height={size} viewBox="0 0 16 16" fill="none" strokeWidth="2">
        {drawings[state]}
      </svg>
      {label !== null && <span className="unseen">{label}</span>}
    </span>
  )
}

const drawings = {
  idle: <circle cx="8" cy="8" r="5" className="stroke-ink-3" />,
  busy: (
    <>
      <circle cx="8" cy="8" r="5" className="stroke-line" />
      <path
        d="M8 3a5 5 0 0 1 5 5"
        strokeLinecap="round"
        className="origin-center animate-turn stroke-accent motion-reduce:hidden"
      />
      <path d="M8 3a5 5 0 0 1 0 10" className="hidden stroke-accent motion-reduce:block" />
    </>
  ),
  waiting: (
    <>
      <circle cx="8" cy="8" r="5.5" className="stroke-ink-3" />
      <path d="M8 5v3l2 1.5" strokeLinecap="round" strokeLinejoin="round" className="stroke-ink-3" />
    </>
  ),
  needs_input: <path d="M8 1.5 14.5 8 8 14.5 1.5 8Z" className="fill-need" />,
  done: <path d="m3 8.5 3.5 3.5L13 4.5" strokeLinecap="round" strokeLinejoin="round" className="stroke-ok" />,
  error: <path d="m4 4 8 8m0-8-8 8" strokeLinecap="round" className="stroke-err" />,
} satisfies Record<IconState, unknown>

// All others are from Lucide (https://lucide.dev), © 2026 Lucide Icons and Contributors, ISC License; some of them come
// from Feather, © 2013-present Cole Bemis, MIT License. They are copied because the package contains thirty megabytes
// of icons.

interface Props extends SVGProps<SVGSVGElement> {
  size?: number
}

/** Creates an icon drawn as a single path. */
export function icon(line: string) {
  return ({ size = 24, ...rest }: Props) => (
    // biome-ignore lint/a11y/noSvgWithoutTitle: the place that shows an icon hides or names it
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      {...rest}
    >
      <path d={line} />
    </svg>
  )
}

export const BookOpen = icon(
  "M12 5v16M20.001 19A2 2 0 0022 17V5a2 2 0 00-1.999-2L16 3.002A5 5 0 0012 5a5 5 0 00-4-2H4a2 2 0 00-2 2v12a2 2 0 001.999 2H8a5 5 0 014 2 5 5 0 014-2z",
)
export const ChartColumn = icon("M3 3v16a2 2 0 0 0 2 2h16M18 17V9M13 17V5M8 17v-3")
export const ChevronDown = icon("M6 9l6 6 6-6")
export const CircleHelp = icon("M2 12a10 10 0 1 0 20 0a10 10 0 1 0-20 0M9 9.5a3 2.5 0 016 0c0 2-2 2-3 3.5M12 17h.01")
export const CornerDownLeft = icon("M20 4v7a4 4 0 0 1-4 4H4M9 10l-5 5 5 5")
export const Ellipsis = icon(
  "M11 12a1 1 0 1 0 2 0a1 1 0 1 0-2 0M18 12a1 1 0 1 0 2 0a1 1 0 1 0-2 0M4 12a1 1 0 1 0 2 0a1 1 0 1 0-2 0",
)
export const Hand = icon(
  "M18 11V6a2 2 0 0 0-2-2a2 2 0 0 0-2 2M14 10V4a2 2 0 0 0-2-2a2 2 0 0 0-2 2v2M10 10.5V6a2 2 0 0 0-2-2a2 2 0 0 0-2 2v8M18 8a2 2 0 1 1 4 0v6a8 8 0 0 1-8 8h-2c-2.8 0-4.5-.86-5.99-2.34l-3.6-3.6a2 2 0 0 1 2.83-2.82L7 15",
)
export const House = icon(
  "M15 21v-8a1 1 0 0 0-1-1h-4a1 1 0 0 0-1 1v8M3 10a2 2 0 0 1 .709-1.528l7-6a2 2 0 0 1 2.582 0l7 6A2 2 0 0 1 21 10v9a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z",
)
export const LayoutList = icon(
  "M4 3h5a1 1 0 0 1 1 1v5a1 1 0 0 1 -1 1h-5a1 1 0 0 1 -1 -1v-5a1 1 0 0 1 1 -1ZM4 14h5a1 1 0 0 1 1 1v5a1 1 0 0 1 -1 1h-5a1 1 0 0 1 -1 -1v-5a1 1 0 0 1 1 -1ZM14 4h7M14 9h7M14 15h7M14 20h7",
)
export const Moon = icon(
  "M20.985 12.486a9 9 0 1 1-9.473-9.472c.405-.022.617.46.402.803a6 6 0 0 0 8.268 8.268c.344-.215.825-.004.803.401",
)
export const PanelLeft = icon("M5 3h14a2 2 0 0 1 2 2v14a2 2 0 0 1 -2 2h-14a2 2 0 0 1 -2 -2v-14a2 2 0 0 1 2 -2ZM9 3v18")
export const Pin = icon(
  "M12 17v5M9 10.76a2 2 0 0 1-1.11 1.79l-1.78.9A2 2 0 0 0 5 15.24V16a1 1 0 0 0 1 1h12a1 1 0 0 0 1-1v-.76a2 2 0 0 0-1.11-1.79l-1.78-.9A2 2 0 0 1 15 10.76V7a1 1 0 0 1 1-1 2 2 0 0 0 0-4H8a2 2 0 0 0 0 4 1 1 0 0 1 1 1z",
)
export const Play = icon("M5 5a2 2 0 0 1 3.008-1.728l11.997 6.998a2 2 0 0 1 .003 3.458l-12 7A2 2 0 0 1 5 19z")
export const Plus = icon("M5 12h14M12 5v14")
export const Search = icon("M21 21l-4.34-4.34M3 11a8 8 0 1 0 16 0a8 8 0 1 0-16 0")
export const Settings = icon(
  "M9.671 4.136a2.34 2.34 0 0 1 4.659 0 2.34 2.34 0 0 0 3.319 1.915 2.34 2.34 0 0 1 2.33 4.033 2.34 2.34 0 0 0 0 3.831 2.34 2.34 0 0 1-2.33 4.033 2.34 2.34 0 0 0-3.319 1.915 2.34 2.34 0 0 1-4.659 0 2.34 2.34 0 0 0-3.32-1.915 2.34 2.34 0 0 1-2.33-4.033 2.34 2.34 0 0 0 0-3.831A2.34 2.34 0 0 1 6.35 6.051a2.34 2.34 0 0 0 3.319-1.915M9 12a3 3 0 1 0 6 0a3 3 0 1 0-6 0",
)
export const Sun = icon(
  "M8 12a4 4 0 1 0 8 0a4 4 0 1 0-8 0M12 2v2M12 20v2M4.93 4.93l1.41 1.41M17.66 17.66l1.41 1.41M2 12h2M20 12h2M6.34 17.66l-1.41 1.41M19.07 4.93l-1.41 1.41",
)
export const X = icon("M18 6 6 18M6 6l12 12")
