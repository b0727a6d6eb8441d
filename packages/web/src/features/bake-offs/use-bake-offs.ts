import { BakeOffs, SettledBakeOff } from "@switchyard/core/work/bake-offs/schema"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useStudio } from "../../session/context/studio.ts"

const REFRESH_MS = 2000

/** The bake-offs of a session, and the choice that ends one. `seq`: the last event that says something of them. */
export function useBakeOffs(sessionId: string, seq: number) {
  const { api } = useStudio()
  const client = useQueryClient()
  const path = { id: sessionId }
  const list = useQuery({
    queryKey: ["bake-offs", sessionId, seq],
    queryFn: ({ signal }) => api.call("GET /api/v1/sessions/{id}/bake-offs", { path, response: BakeOffs, signal }),
    placeholderData: (before) => before,
    // What entrants do is in the events of their runs; the table has sums of them.
    refetchInterval: ({ state }) =>
      state.data?.bake_offs.some(({ status }) => status === "running") ? REFRESH_MS : false,
  })
  const settle = useMutation({
    mutationFn: ({ bakeOff, adopt }: { bakeOff: string; adopt: string | null }) =>
      api.call("POST /api/v1/sessions/{id}/bake-offs/{bake_off}/settle", {
        path: { ...path, bake_off: bakeOff },
        body: { adopt },
        response: SettledBakeOff,
      }),
    onSettled: () => client.invalidateQueries({ queryKey: ["bake-offs", sessionId] }),
  })
  return { list, settle }
}
