import type { ChatReview } from "@switchyard/core/work/chat/schema"
import { Button } from "../../ui/button.tsx"

/** The review that goes on, above the composer, and the way out of it. */
export function ReviewNotice({ review, onEnd }: { review: ChatReview; onEnd: (() => void) | null }) {
  const { base, tip, summary } = review
  const span = [base && `since ${base}`, tip && `up to ${tip}`].filter(Boolean).join(" ")
  return (
    <p role="status" className="mx-auto mb-2 flex max-w-[792px] items-baseline gap-2 px-4 text-sm text-ink-2">
      <span className="min-w-0 grow break-words">
        Under review{span && ` ${span}`}: {summary}. Edits are shown, and not applied.
      </span>
      <Button size="sm" tone="quiet" disabled={onEnd === null} onClick={onEnd ?? undefined}>
        End review
      </Button>
    </p>
  )
}
