import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { Button } from "../../../ui/button.tsx"
import { fieldClass } from "../../../ui/field.tsx"
import { ErrorNotice, Skeleton } from "../../../ui/notice.tsx"
import { Refusal } from "./refusal.tsx"
import { useWorktreeQueries } from "./use-worktree.ts"

interface Props {
  path: string
  busy: boolean
  error: Error | null
  onDone(content: string): void
  onClose(): void
}

/** Editor for the merged file, including conflict markers. */
export function EditFile({ path, busy, error, onDone, onClose }: Props) {
  const queries = useWorktreeQueries()
  const query = useQuery({ ...queries.conflict(path), staleTime: 0 })
  const [typed, setTyped] = useState<string | null>(null)
  const content = query.data?.content
  const start = content?.merged ?? content?.ours ?? content?.theirs ?? ""
  const text = typed ?? start
  const marked = /^(<{7}|>{7}|\|{7}) /m.test(text)
  return (
    <section aria-label={`Edit ${path}`} className="flex min-h-0 min-w-0 flex-col gap-2 p-3">
      {error && <Refusal error={error} />}
      <ErrorNotice error={query.error} />
      {query.data ? (
        <textarea
          aria-label={`Contents of ${path}`}
          value={text}
          spellCheck={false}
          onChange={(event) => setTyped(event.target.value)}
          className={`${fieldClass} min-h-0 flex-1 resize-none py-2 font-mono text-xs leading-5`}
        />
      ) : (
        <Skeleton lines={8} className="flex-1" />
      )}
      <div className="flex flex-wrap items-center justify-end gap-2">
        {marked && <p className="mr-auto text-sm text-ink-2">Remove all conflict markers to continue.</p>}
        <Button size="sm" onClick={onClose}>
          Back to conflicts
        </Button>
        <Button size="sm" tone="primary" disabled={busy || !query.data || marked} onClick={() => onDone(text)}>
          Use this text
        </Button>
      </div>
    </section>
  )
}
