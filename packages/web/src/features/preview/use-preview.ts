import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { type Fields, number, object, orNull, text } from "../../api/decode.ts"
import { useStudio } from "../../session/context/studio.ts"
import type { SessionStore } from "../../session/stream/session-store.ts"
import { useSessionData } from "../../session/view/use-session.ts"

const response = object({ url: orNull(text), reason: orNull(text), version: number } satisfies Fields)

export type PreviewState =
  | { state: "loading" }
  | { state: "none"; reason: string }
  | { state: "failed"; message: string; retry(): void }
  /** `seq`: the commit, for an earlier moment. */
  | { state: "shown"; url: string; version: number; seq: number | null }

/** The preview of the moment that is shown: live the newest commit, in a replay the one at that event. */
export function usePreview(session: SessionStore, external: boolean): PreviewState {
  const { api } = useStudio()
  const id = session.sessionId
  const version = useSessionData(session, ({ shown }) => shown.files.version)
  const committedSeq = useSessionData(session, ({ shown }) => shown.files.committedSeq)
  const seq = useSessionData(session, ({ replaySeq }) => replaySeq !== null) ? committedSeq : null
  const { data, error, refetch } = useQuery({
    queryKey: ["preview", id, version, seq, external],
    queryFn: async ({ signal }) => {
      const query = { seq: seq ?? undefined, external }
      const page = await api.call("GET /api/v1/sessions/{id}/preview", { path: { id }, query, response, signal })
      return { ...page, seq }
    },
    enabled: version > 0,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    retry: false,
  })
  if (version === 0) return { state: "none", reason: "There are no files yet." }
  if (error) return { state: "failed", message: error.message, retry: () => void refetch() }
  if (!data) return { state: "loading" }
  if (data.url === null) return { state: "none", reason: data.reason ?? "" }
  return { state: "shown", url: data.url, version: data.version, seq: data.seq }
}
