import type { ConflictFile } from "@switchyard/core/files/worktrees/conflict-schema"
import { useQuery } from "@tanstack/react-query"
import { Notice, Skeleton } from "../../../ui/notice.tsx"
import { useWorktreeQueries } from "../worktree/use-worktree.ts"
import type { Sides } from "./conflict-choices.ts"
import { ConflictSide } from "./conflict-side.tsx"

/** The whole texts of a file without regions, for a decision between its sides. */
export function ConflictTexts({ sessionId, file, sides }: { sessionId: string; file: ConflictFile; sides: Sides }) {
  const readable = !file.is_binary && !file.is_submodule
  const queries = useWorktreeQueries(sessionId)
  const query = useQuery({ ...queries.conflict(file.file_path), enabled: readable })
  const content = query.data?.content
  return (
    <div className="min-h-0 overflow-y-auto p-3">
      <p className="mb-2 text-sm text-ink-3">
        {file.is_binary ? "A binary file" : file.is_submodule ? "A submodule" : "This file"} has no regions to choose
        between: one side has to be taken whole.
      </p>
      {query.error && <Notice tone="err">{query.error.message}</Notice>}
      {readable && query.isPending && <Skeleton />}
      {content && (
        <div className="grid border border-line lg:grid-cols-3">
          <ConflictSide name={sides.ours} text={content.ours} on={false} tall />
          <ConflictSide name="before" text={content.base} on={false} tall />
          <ConflictSide name={sides.theirs} text={content.theirs} on={false} tall />
        </div>
      )}
    </div>
  )
}
