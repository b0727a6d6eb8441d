import type { ChatView } from "@switchyard/core/work/chat/request-schema"
import type { ChatBranch, ChatCompaction, ChatMessage, TurnResult } from "@switchyard/core/work/chat/schema"
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect, useMemo, useRef, useState } from "react"
import { useSessionData, useShownSession } from "../../session/view/use-session.ts"

const chatView = async () => (await import("@switchyard/core/work/chat/request-schema")).ChatView

export type { ChatBranch, ChatCompaction, ChatMessage, ChatView, TurnResult }

/** Returns the messages and other state of the session's conversation, refetched whenever the log reports a change. */
export function useChat() {
  const { sessionId: id, api } = useShownSession()
  const client = useQueryClient()
  const changedSeq = useSessionData(({ live }) => live.chat?.changedSeq ?? 0)
  const { data, error, hasNextPage, fetchNextPage, isFetching, isFetchingNextPage, isPending } = useInfiniteQuery({
    queryKey: chatKey(id),
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam: before, signal }) =>
      api.call("GET /api/v1/sessions/{id}/chat", { path: { id }, query: { before }, response: chatView, signal }),
    getNextPageParam: (page) => page.before ?? undefined,
  })
  // Only one fetch at a time, because starting another cancels the one in progress and loses its result.
  const [wantsEarlier, setWantsEarlier] = useState(false)
  const fetched = useRef("")
  useEffect(() => {
    if (!wantsEarlier || isFetching) return
    setWantsEarlier(false)
    void fetchNextPage()
  }, [wantsEarlier, isFetching, fetchNextPage])
  useEffect(() => {
    const newest = `${id} ${changedSeq}`
    if (wantsEarlier || isFetchingNextPage || fetched.current === newest) return
    fetched.current = newest
    void client.invalidateQueries({ queryKey: chatKey(id) })
  }, [client, id, changedSeq, wantsEarlier, isFetchingNextPage])
  const [newest] = data?.pages ?? []
  const messages = useMemo(() => (data?.pages ?? []).toReversed().flatMap((page) => page.messages), [data])
  return {
    chat: newest,
    messages,
    error,
    isPending,
    earlier: hasNextPage ? { load: () => setWantsEarlier(true), isLoading: isFetchingNextPage || wantsEarlier } : null,
  }
}

export function chatKey(sessionId: string): [string, string] {
  return ["chat", sessionId]
}
