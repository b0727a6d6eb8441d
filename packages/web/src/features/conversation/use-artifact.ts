import { useQuery } from "@tanstack/react-query"
import { useStudio } from "../../session/context/studio.ts"

/** More of a text isn't shown: it is for reading, and no browser draws what a program puts out in a minute. */
const MOST_CHARS = 200_000

/** The text of an artifact of a session; nothing is loaded for null. */
export function useArtifact(sessionId: string, path: string | null) {
  const { api } = useStudio()
  return useQuery({
    queryKey: ["artifact", sessionId, path],
    enabled: path !== null,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const place = { path: { id: sessionId, sha256: path?.slice("artifacts/".length) ?? "" } }
      const text = await api.text("GET /api/v1/sessions/{id}/artifacts/{sha256}", { ...place, signal })
      return text.length > MOST_CHARS
        ? `${text.slice(0, MOST_CHARS)}\n… ${text.length - MOST_CHARS} more characters`
        : text
    },
  })
}
