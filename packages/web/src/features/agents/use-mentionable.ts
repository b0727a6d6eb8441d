import { useQuery } from "@tanstack/react-query"
import { useMemo, useState } from "react"
import { list, number, object, text } from "../../api/decode.ts"
import { useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { useSettled } from "../../ui/use-settled.ts"

const Files = object({ files: list(text), total: number })
const ALL = 5000
const BEST = 50

/**
 * Returns the files that can be mentioned to an agent. These are the files in its worktree, requested when a mention
 * begins; until they arrive, the session's. For a very large worktree, only those that match what is typed.
 */
export function useMentionable(agentId: string) {
  const { sessionId, api } = useShownSession()
  const [query, setQuery] = useState<string | null>(null)
  const settled = useSettled(query ?? "", 300)
  const manifest = useSessionData(({ live }) => live.files.manifest)
  const own = useMemo(() => manifest.files.map(({ path }) => path), [manifest])

  const asked = (q: string, limit: number) => ({
    queryKey: ["agent-files", sessionId, agentId, q],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      api.call("GET /api/v1/sessions/{id}/agents/{agent}/files", {
        path: { id: sessionId, agent: agentId },
        query: { q, limit },
        response: Files,
        signal,
      }),
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  })
  const all = useQuery({ ...asked("", ALL), enabled: query !== null })
  const hasMore = all.data !== undefined && all.data.total > all.data.files.length
  const fitting = useQuery({ ...asked(settled, BEST), enabled: query !== null && hasMore && settled !== "" })
  return { files: (hasMore ? fitting.data?.files : undefined) ?? all.data?.files ?? own, onMention: setQuery }
}
