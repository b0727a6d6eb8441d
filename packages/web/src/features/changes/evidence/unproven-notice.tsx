import { useQuery } from "@tanstack/react-query"
import { Notice } from "../../../ui/notice.tsx"
import { useWorktreeQueries } from "../worktree/use-worktree.ts"
import { lineOf, lookOf } from "./evidence-words.ts"

/** Says of work that was to be verified, and about to be merged, why nothing proves it as it is. Nothing where something does. */
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
