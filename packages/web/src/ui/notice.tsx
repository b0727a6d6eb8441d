import { clsx } from "clsx"
import type { ReactNode } from "react"

const tones = {
  info: "border-info bg-sheet",
  ok: "border-ok bg-sheet",
  err: "border-err bg-sheet",
  need: "border-need bg-need-bg",
}

/** A message in the page that stays while it applies. */
export function Notice({
  tone = "info",
  children,
  className,
}: {
  tone?: keyof typeof tones
  children: ReactNode
  className?: string
}) {
  return (
    <div
      role={tone === "err" ? "alert" : "status"}
      className={clsx("border-l-4 py-2 pr-3 pl-3 text-sm text-ink", tones[tone], className)}
    >
      {children}
    </div>
  )
}

/** An empty state: a title, and a hint what to do. `page`: it is all that the page has, and its title the page's heading. */
export function Empty({ title, page = false, children }: { title: string; page?: boolean; children?: ReactNode }) {
  const Title = page ? "h1" : "p"
  return (
    <div className="flex h-full flex-col items-center justify-center gap-1 p-6 text-center">
      <Title className="font-semibold text-ink-2">{title}</Title>
      {children && <div className="max-w-[42ch] text-sm text-ink-3">{children}</div>}
    </div>
  )
}

/** Placeholder lines. Shown only if loading takes a moment. */
export function Skeleton({ lines = 3, className }: { lines?: number; className?: string }) {
  return (
    <div aria-hidden className={clsx("flex flex-col gap-3 p-3", className)}>
      {Array.from({ length: lines }, (_, line) => (
        <div
          key={`line-${line.toString()}`}
          className="h-3 rounded-sm bg-line"
          style={{ width: `${85 - ((line * 23) % 50)}%` }}
        />
      ))}
    </div>
  )
}
