import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { type Decoded, type Fields, flag, number, object, oneOf, orNull, text } from "../../api/decode.ts"
import { useSessionData, useShownSession } from "../../session/view/use-session.ts"

const server = object({
  command: orNull(text),
  status: oneOf("none", "requested", "starting", "ready", "stopping"),
  version: orNull(number),
  url: orNull(text),
  reason: orNull(text),
} satisfies Fields)
const response = object({
  url: orNull(text),
  root: orNull(text),
  opaque: flag,
  reason: orNull(text),
  built: flag,
  needs_build: flag,
  version: number,
  server: orNull(server),
} satisfies Fields)

export type ServerPreview = Decoded<typeof server>

export interface ShownPage {
  url: string
  /** URL of the folder that contains its files. */
  root: string
  /** True if it has no origin, so it can't store anything. */
  opaque: boolean
  /** True if it is the output of a build. */
  built: boolean
  version: number
  /** The commit, for an earlier moment. */
  seq: number | null
}

export type PreviewState =
  | { state: "loading" }
  | { state: "none"; reason: string; needsBuild: boolean }
  | { state: "failed"; message: string; retry(): void }
  | ({ state: "shown" } & ShownPage)

export interface Preview {
  /** The files, as a separate page. */
  page: PreviewState
  /** The project's server; null if the files don't contain one. */
  server: ServerPreview | null
  /** Commit of the moment shown; null when live. */
  seq: number | null
}

const NO_FILES: PreviewState = { state: "none", reason: "There are no files yet.", needsBuild: false }

/** Returns the preview of the moment shown: live, the latest commit; in a replay, the one at that event. */
export function usePreview(external: boolean): Preview {
  const { sessionId: id, api } = useShownSession()
  const version = useSessionData(({ shown }) => shown.files.version)
  const committedSeq = useSessionData(({ shown }) => shown.files.committedSeq)
  const seq = useSessionData(({ replaySeq }) => replaySeq !== null) ? committedSeq : null
  const stage = useSessionData(({ live }) => `${live.server.stage} ${live.server.version} ${live.builtSeq}`)
  const { data, error, refetch } = useQuery({
    queryKey: ["preview", id, version, seq, external, stage],
    queryFn: async ({ signal }) => {
      const query = { seq: seq ?? undefined, external }
      const page = await api.call("GET /api/v1/sessions/{id}/preview", { path: { id }, query, response, signal })
      return { ...page, seq }
    },
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    retry: false,
    // Before the first commit, there are no files.
    enabled: seq !== 0,
  })
  if (seq === 0) return { page: NO_FILES, server: null, seq }
  if (error)
    return { page: { state: "failed", message: error.message, retry: () => void refetch() }, server: null, seq }
  if (!data) return { page: { state: "loading" }, server: null, seq }
  if (version === 0) return { page: NO_FILES, server: data.server, seq }
  const page: PreviewState =
    data.url === null || data.root === null
      ? { state: "none", reason: data.reason ?? "", needsBuild: data.needs_build }
      : { ...data, state: "shown", url: data.url, root: data.root }
  return { page, server: data.server, seq }
}
