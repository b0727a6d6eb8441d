import type { DiffFile } from "@switchyard/core/files/worktrees/diff-schema"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useMemo, useState } from "react"
import { useShownSession } from "../../../session/view/use-session.ts"
import { useWorktreeQueries } from "../worktree/use-worktree.ts"
import { createMarks, type Marks, printOf } from "./viewed.ts"

/**
 * Returns the files marked as viewed. A mark belongs to a fingerprint of the file's diff, so the full diff is loaded if
 * there are marks to compare.
 */
export function useViewed(changedAt: number) {
  const { sessionId } = useShownSession()
  const client = useQueryClient()
  const queries = useWorktreeQueries()
  const store = useMemo(() => createMarks(localStorage, sessionId), [sessionId])
  const [marks, setMarks] = useState<Marks>(store.read)
  const [marking, setMarking] = useState<ReadonlyMap<string, string>>(new Map())
  const { data: all } = useQuery({ ...queries.all, enabled: Object.keys(marks).length > 0 })
  const prints = useMemo(() => printsOf(all?.files ?? [], changedAt), [all, changedAt])

  async function toggle(path: string): Promise<void> {
    if (isViewed(path)) {
      const { [path]: _, ...rest } = marks
      setMarking(new Map([...marking].filter(([marked]) => marked !== path)))
      setMarks(rest)
      return store.save(rest)
    }
    const diff = await client.fetchQuery(queries.all)
    const file = diff.files.find(({ new_path }) => new_path === path)
    if (!file) return
    const print = printOf(file, changedAt)
    setMarking((before) => new Map(before).set(path, print))
    setMarks((before) => {
      const next = { ...before, [path]: print }
      store.save(next)
      return next
    })
  }

  const isViewed = (path: string) => {
    const now = all ? prints.get(path) : marking.get(path)
    return now !== undefined && marks[path] === now
  }
  return { isViewed, toggle }
}

function printsOf(files: DiffFile[], changedAt: number): ReadonlyMap<string, string> {
  return new Map(files.map((file) => [file.new_path, printOf(file, changedAt)]))
}
