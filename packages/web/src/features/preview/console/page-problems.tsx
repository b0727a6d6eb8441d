import { formatCount } from "@switchyard/core/text/format"
import { Button } from "../../../ui/button.tsx"
import { StatusIcon } from "../../../ui/icons.tsx"
import { Wrench } from "../../../ui/session-icons.tsx"
import { type ConsoleRow, fixPrompt } from "./console-rows.ts"

interface Props {
  rows: readonly ConsoleRow[]
  onShow(): void
  /** Asks the coder for a fix; undefined if there is no coder to ask. */
  onFix: ((prompt: string) => void) | undefined
  /** Why that isn't possible now. */
  fixBlocked: string | null
}

/** Says at once that the page fails, and offers a fix. */
export function PageProblems({ rows, onShow, onFix, fixBlocked }: Props) {
  const errors = rows.filter(({ kind }) => kind !== "blocked")
  if (errors.length === 0) return null
  return (
    <div
      role="status"
      className="flex min-h-9 items-center gap-2 border-b border-line bg-err-bg py-1 pr-2 pl-3 text-sm"
    >
      <StatusIcon state="error" label={null} />
      <p className="min-w-0 flex-1 truncate">{formatCount(errors.length, "error")} on this page</p>
      <Button size="sm" tone="quiet" onClick={onShow}>
        Show
      </Button>
      {onFix && (
        <Button
          size="sm"
          disabled={fixBlocked !== null}
          title={fixBlocked ?? "Ask the coder to fix this"}
          onClick={() => onFix(fixPrompt(errors))}
        >
          <Wrench size={13} aria-hidden />
          Fix
        </Button>
      )}
    </div>
  )
}
