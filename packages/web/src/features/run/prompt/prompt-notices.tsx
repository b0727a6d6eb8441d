import { Button } from "../../../ui/button.tsx"
import { Notice } from "../../../ui/notice.tsx"
import type { PromptState } from "./prompt-state.ts"

interface Props {
  state: PromptState
  onRestore(): void
  onRetry(): void
  onResume(): void
}

/** The notices below the prompt: hidden results, a failed run, or a failed start. */
export function PromptNotices({ state: { notice, failure, blocked }, onRestore, onRetry, onResume }: Props) {
  return (
    <>
      {notice?.type === "cleared" && (
        <p className="mt-1.5 text-sm text-ink-3">
          You've edited the prompt. Previous results are hidden until you run it.{" "}
          <button type="button" onClick={onRestore} className="min-h-6 rounded-sm text-accent underline">
            Restore
          </button>
        </p>
      )}
      {notice?.type === "run_failed" && (
        <Notice tone="err" className="mt-2 flex flex-wrap items-center justify-between gap-3">
          <span className="min-w-0 flex-1 whitespace-pre-line">
            {notice.message}
            {notice.hint !== null && <span className="block text-ink-2">{notice.hint}</span>}
          </span>
          <span className="flex gap-2">
            {notice.resumable && (
              <Button size="sm" tone="primary" disabled={blocked} onClick={onResume}>
                Resume
              </Button>
            )}
            <Button size="sm" disabled={blocked} onClick={onRetry}>
              {notice.resumable ? "Start over" : "Try again"}
            </Button>
          </span>
        </Notice>
      )}
      {failure !== null && (
        <Notice tone="err" className="mt-2">
          {failure}
        </Notice>
      )}
    </>
  )
}
