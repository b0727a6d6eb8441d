import { clsx } from "clsx"
import type { ReactNode } from "react"
import { Button } from "./button.tsx"
import { errorText } from "./error-text.ts"
import { useDelay } from "./use-delay.ts"

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
  className?: string | undefined
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

export function ErrorNotice({ error, className }: { error: unknown; className?: string | undefined }) {
  if (!error) return null
  return (
    <Notice tone="err" className={className}>
      {errorText(error)}
    </Notice>
  )
}

/** Says what couldn't be loaded and why, with a button that tries again. */
export function RetryNotice({ onRetry, className, children }: RetryProps) {
  return (
    <Notice tone="err" className={className}>
      {children}
      <Button size="sm" className="mt-2 block" onClick={onRetry}>
        Try again
      </Button>
    </Notice>
  )
}

interface RetryProps {
  onRetry(): void
  className?: string | undefined
  children: ReactNode
}

/**
 * An empty state: a title, and a hint on what to do. `page`: the page contains nothing else, so the title is its
 * heading.
 */
export function Empty({ title, page = false, children }: { title: string; page?: boolean; children?: ReactNode }) {
  const Title = page ? "h1" : "p"
  return (
    <div className="flex h-full flex-col items-center justify-center gap-1 p-6 text-center">
      <Title className="font-semibold text-ink-2">{title}</Title>
      {children && <div className="max-w-[42ch] text-sm text-ink-3">{children}</div>}
    </div>
  )
}

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

/** Placeholder lines, shown if loading takes a moment. */
export function LateSkeleton(look: { lines: number; className: string }) {
  const late = useDelay(300)
  return late ? <Skeleton {...look} /> : <div />
}

/** An empty state caused by an error, with a button that tries again. */
export function LoadFailure({ title, error, onRetry }: { title: string; error: Error; onRetry(): void }) {
  return (
    <Empty title={title}>
      <p>{error.message}</p>
      <Button className="mt-3" onClick={onRetry}>
        Try again
      </Button>
    </Empty>
  )
}

interface UnloadedProps {
  list: { error: Error | null; isPending: boolean; refetch(): unknown }
  /** Number of placeholder lines. */
  lines?: number
}

/**
 * Shown instead of a list that isn't loaded: placeholder lines if loading takes a moment, or the error and a retry
 * button.
 */
export function UnloadedList({ list, lines }: UnloadedProps) {
  const late = useDelay(300)
  if (list.error) {
    return (
      <Notice tone="err">
        <p>{list.error.message}</p>
        <Button size="sm" className="mt-2" onClick={() => void list.refetch()}>
          Retry
        </Button>
      </Notice>
    )
  }
  return list.isPending && late && <Skeleton lines={lines} />
}

/** The same for a whole section. */
export function UnloadedSection(props: UnloadedProps) {
  return (
    <div className="border-t border-line pt-5">
      <UnloadedList {...props} />
    </div>
  )
}
