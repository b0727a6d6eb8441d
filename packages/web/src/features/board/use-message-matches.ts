import { useQuery } from "@tanstack/react-query"
import { list, object, text } from "../../api/decode.ts"
import { useStudio } from "../../session/context/studio.ts"
import { useSettled } from "../../ui/use-settled.ts"

const Found = object({ messages: list(object({ session_id: text })) })

/** Shorter texts are in almost every message. */
const SHORTEST = 3
const SETTLES_MS = 300

const none: ReadonlySet<string> = new Set()

/** Returns the sessions with messages that contain the words. */
export function useMessageMatches(words: string): ReadonlySet<string> {
  const { api } = useStudio()
  const q = useSettled(words.trim(), SETTLES_MS)
  const isSearched = q.length >= SHORTEST && q === words.trim()
  const { data } = useQuery({
    queryKey: ["message-matches", q],
    queryFn: ({ signal }) => api.call("GET /api/v1/search", { query: { q }, response: Found, signal }),
    select: ({ messages }) => new Set(messages.map(({ session_id }) => session_id)),
    enabled: isSearched,
    staleTime: 5_000,
  })
  return (isSearched && data) || none
}
