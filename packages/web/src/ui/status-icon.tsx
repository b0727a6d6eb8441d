export type IconState = "idle" | "busy" | "needs_input" | "done" | "error"

const words = {
  idle: "Idle",
  busy: "Working",
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
  needs_input: <path d="M8 1.5 14.5 8 8 14.5 1.5 8Z" className="fill-need" />,
  done: <path d="m3 8.5 3.5 3.5L13 4.5" strokeLinecap="round" strokeLinejoin="round" className="stroke-ok" />,
  error: <path d="m4 4 8 8m0-8-8 8" strokeLinecap="round" className="stroke-err" />,
} satisfies Record<IconState, unknown>
