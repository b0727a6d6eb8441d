import type { ManifestFile } from "@switchyard/core/files/workspaces/manifest"
import { keepPreviousData, type UseQueryResult, useQuery } from "@tanstack/react-query"
import { number, object } from "../../../api/decode.ts"
import { useResponse } from "../../../session/context/requests.ts"
import type { Studio } from "../../../session/context/studio.ts"
import { useShownSession } from "../../../session/view/use-session.ts"
import { withMark } from "./line-endings.ts"

/** For larger files, the server redirects to another origin, where only a link can follow. */
const SHOWN_BYTES = 4_000_000

export interface FileText {
  sha256: string
  text: string
}

/**
 * Loads the text of one version of a file. Versions are immutable, so each is loaded only once. The previous text is
 * shown meanwhile.
 */
export function useFileText(file: ManifestFile | undefined): UseQueryResult<FileText, Error> {
  const { sessionId, api } = useShownSession()
  return useQuery({
    queryKey: ["artifact", sessionId, file?.sha256],
    enabled: file !== undefined && isShown(file),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30 * 60_000,
    refetchOnWindowFocus: false,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => readFile(api, sessionId, file, signal),
  })
}

export function isShown({ binary, size }: ManifestFile): boolean {
  return !binary && size <= SHOWN_BYTES
}

/** Returns the server's limit on the length of a text, in characters. */
export function useTextLimit(fallback: number): number {
  const { data } = useResponse(["health"], "GET /health", { response: Limits }, { staleTime: Number.POSITIVE_INFINITY })
  return data?.max_editable_file_chars ?? fallback
}

const Limits = object({ max_editable_file_chars: number })

async function readFile(
  api: Studio["api"],
  sessionId: string,
  file: ManifestFile | undefined,
  signal: AbortSignal,
): Promise<FileText> {
  if (!file) throw new Error("No file is open.")
  const text = await api.text("GET /api/v1/sessions/{id}/artifacts/{sha256}", {
    path: { id: sessionId, sha256: file.sha256 },
    signal,
  })
  return { sha256: file.sha256, text: withMark(text, file.size) }
}
