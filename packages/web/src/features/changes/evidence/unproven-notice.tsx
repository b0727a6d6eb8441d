import { useQuery } from "@tanstack/react-query"
import { Notice } from "../../../ui/notice.tsx"
import { useWorktreeQueries } from "../worktree/use-worktree.ts"
import { lineOf, lookOf } from "./evidence-words.ts"

/**
 * If the work was to be verified and is about to be merged, says why nothing proves its current state. Shows nothing if
 * there is valid evidence.
 */
export function UnprovenNotice() {
  const { evidence } = useWorktreeQueries()
  const { data } = useQuery(evidence)
  if (!data?.run_id || (data.state === "valid" && data.latest?.passed)) return null
  return (
    <Notice tone="need">
      <strong className="font-semibold">{lookOf(data).title}.</strong> {lineOf(data)}
    </Notice>
  )
}
