import type { ChatView } from "@switchyard/core/work/chat/request-schema"
import type { ChatBranch, ChatCompaction, ChatMessage, TurnResult } from "@switchyard/core/work/chat/schema"
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect, useMemo } from "react"
import { useStudio } from "../../session/context/studio.ts"
import type { SessionStore } from "../../session/stream/session-store.ts"
import { useSessionData } from "../../session/view/use-session.ts"

const chatView = async () => (await import("@switchyard/core/work/chat/request-schema")).ChatView

export type { ChatBranch, ChatCompaction, ChatMessage, ChatView, TurnResult }

/** The messages of the session's conversation and what belongs to it, loaded anew whenever the log says that it changed. */
export function useChat(session: SessionStore) {
  const { api } = useStudio()
  const client = useQueryClient()
  const id = session.sessionId
  const changedSeq = useSessionData(session, ({ live }) => live.chat?.changedSeq ?? 0)
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage, isPending } = useInfiniteQuery({
    queryKey: chatKey(id),
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam: before, signal }) =>
      api.call("GET /api/v1/sessions/{id}/chat", { path: { id }, query: { before }, response: chatView, signal }),
    getNextPageParam: (page) => page.before ?? undefined,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the log says that it changed
  useEffect(() => {
    client.invalidateQueries({ queryKey: chatKey(id) })
  }, [client, id, changedSeq])
  const [newest] = data?.pages ?? []
  const messages = useMemo(() => (data?.pages ?? []).toReversed().flatMap((page) => page.messages), [data])
  return {
    chat: newest,
    messages,
    error,
    isPending,
    earlier: hasNextPage ? { load: fetchNextPage, isLoading: isFetchingNextPage } : null,
  }
}

export function chatKey(sessionId: string): [string, string] {
  return ["chat", sessionId]
}
