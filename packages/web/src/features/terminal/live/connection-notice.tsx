import { Button } from "../../../ui/button.tsx"
import { Notice, Skeleton } from "../../../ui/notice.tsx"
import { useDelay } from "../../../ui/use-delay.ts"
import type { TerminalState } from "./live-state.ts"

/** Covers the screen while the terminal isn't live. */
export function ConnectionNotice({ state, onRetry }: { state: TerminalState; onRetry(): void }) {
  const late = useDelay(300)
  if (state.connection === "refused") {
    return (
      <div className="absolute inset-0 bg-well p-3">
        <Notice tone="err">
          This terminal can't be loaded. It may have been deleted with its session.
          <Button size="sm" className="mt-2 block" onClick={onRetry}>
            Try again
          </Button>
        </Notice>
      </div>
    )
  }
  if (state.connection === "lost") {
    return (
      <Notice tone="need" className="absolute inset-x-0 bottom-0 border-t border-t-line">
        Disconnected. You're seeing the last screen; typing is off.
      </Notice>
    )
  }
  return late && !state.drawn && !state.ended ? <Skeleton lines={6} className="absolute inset-0 p-6" /> : null
}
