import type { Unresolved } from "@switchyard/core/files/worktrees/schema"
import { describeOperation } from "@switchyard/core/files/worktrees/unresolved"
import { Notice } from "../../../ui/notice.tsx"

interface Props {
  unresolved: Unresolved
  className?: string
}

/** Names what keeps the work from being committed, and says how to settle it. */
export function UnresolvedNotice({ unresolved, className }: Props) {
  const { files } = unresolved
  return (
    <Notice tone="need" className={className}>
      <p className="font-semibold">
        {describeOperation(unresolved)} Nothing can be merged, updated or pushed until this is resolved.
      </p>
      {files.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keys
        <ul tabIndex={0} aria-label="Files with conflicts" className="mt-1 max-h-32 list-disc overflow-y-auto pl-5">
          {files.map((path) => (
            <li key={path} className="font-mono text-xs break-all">
              {path}
            </li>
          ))}
        </ul>
      )}
      <p className="mt-1 text-ink-2">
        Give an agent the task to resolve this, finish or abort it in the shell, or reset the worktree.
      </p>
    </Notice>
  )
}
