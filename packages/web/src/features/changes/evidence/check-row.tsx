import type { EvidenceCheck } from "@switchyard/core/work/verification/evidence-schema"
import { type IconState, StatusIcon } from "../../../ui/status-icon.tsx"
import { resultOf } from "./evidence-words.ts"

/** A command that was run, with its result; what it printed is shown at once where it failed. */
export function CheckRow({ check }: { check: EvidenceCheck }) {
  const { command, passed, output, original_tests } = check
  return (
    <>
      <p className="flex min-w-0 items-start gap-1.5">
        <span className="mt-1 shrink-0">
          <StatusIcon state={iconOf(passed)} size={12} label={null} />
        </span>
        <span className="min-w-0">
          <code className="font-mono text-xs break-all text-ink">{command}</code>
          <span className="block text-ink-2 nums">{resultOf(check)}</span>
          {original_tests && <span className="block text-ink-3">With the tests as they were before the work</span>}
        </span>
      </p>
      {output !== "" && (
        <details open={passed === false} className="mt-1">
          <summary className="cursor-pointer text-xs text-ink-3 hover:text-ink">What it printed</summary>
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
            tabIndex={0}
            className="mt-1 max-h-64 overflow-auto rounded-sm bg-well p-2 font-mono text-xs whitespace-pre-wrap text-ink"
          >
            {output}
          </pre>
        </details>
      )}
    </>
  )
}

function iconOf(passed: boolean | undefined): IconState {
  if (passed === undefined) return "busy"
  return passed ? "done" : "error"
}
