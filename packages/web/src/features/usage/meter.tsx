interface Props {
  label: string
  /** Shown at the end of the label's line. */
  aside?: string | undefined
  percent: number
}

/** A limit: its label, and a bar showing how much is used. */
export function Meter({ label, aside, percent }: Props) {
  const used = Math.min(100, percent)
  return (
    <>
      <p className="flex justify-between gap-3 text-sm text-ink-2 nums">
        <span>{label}</span>
        {aside && <span className="text-ink-3">{aside}</span>}
      </p>
      <div aria-hidden className="h-1.5 overflow-hidden rounded-sm bg-line">
        <div className={used >= 90 ? "h-full bg-err" : "h-full bg-accent"} style={{ width: `${used}%` }} />
      </div>
    </>
  )
}
