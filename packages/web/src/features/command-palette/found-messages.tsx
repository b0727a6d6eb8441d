import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query"
import { useCommandState } from "cmdk"
import { useLocation } from "wouter"
import { type Decoded, list, number, object, oneOf, orNull, text } from "../../api/decode.ts"
import { paths } from "../../session/context/routes.ts"
import { useStudio } from "../../session/context/studio.ts"
import { MessageSquare } from "../../ui/more-icons.tsx"
import { SearchItem } from "../../ui/search-dialog.tsx"
import { ago } from "../../ui/time.ts"
import { useSettled } from "../../ui/use-settled.ts"
import { Group, type Leaving } from "./lines.tsx"

const Found = object({
  messages: list(
    object({
      ...{ session_id: text, session_name: text, seq: number, ts: text, excerpt: text },
      ...{ part: oneOf("prompt", "chat", "agent", "team"), agent: orNull(text) },
    }),
  ),
  next: orNull(text),
})
type Message = Decoded<typeof Found>["messages"][number]

const SHORTEST = 3
const SETTLES_MS = 300

/** Messages found in any session: prompts, and messages in chats, agents and teams. */
export function FoundMessages({ leaving }: { leaving: Leaving }) {
  const { api } = useStudio()
  const [, go] = useLocation()
  const q = useSettled(useCommandState((state) => state.search).trim(), SETTLES_MS)
  const { data, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery({
    queryKey: ["found-messages", q],
    queryFn: ({ pageParam, signal }) =>
      api.call("GET /api/v1/search", { query: { q, before: pageParam }, response: Found, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    enabled: q.length >= SHORTEST,
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  })
  if (q.length < SHORTEST) return null
  return (
    <Group heading="Messages">
      {data?.pages
        .flatMap(({ messages }) => messages)
        .map((message) => (
          <SearchItem
            key={`${message.session_id} ${message.seq}`}
            value={`message ${message.session_id} ${message.seq}`}
            words={[message.excerpt]}
            icon={<MessageSquare size={15} aria-hidden />}
            onSelect={leaving(() => go(places[message.part](message)))}
          >
            <span className="grid min-w-0 py-1">
              <span className="truncate">{message.excerpt}</span>
              <span className="truncate text-xs text-ink-3">
                {message.session_name} · {ago(message.ts)}
              </span>
            </span>
          </SearchItem>
        ))}
      {hasNextPage && (
        <SearchItem value="more" words={[]} icon={null} onSelect={() => void fetchNextPage()}>
          {isFetching ? "Searching…" : "Search older sessions"}
        </SearchItem>
      )}
    </Group>
  )
}

const places = {
  chat: ({ session_id }) => paths.chat(session_id),
  agent: ({ session_id, agent, seq }) => `${paths.agent(session_id, agent ?? undefined)}?seq=${seq}`,
  team: ({ session_id }) => paths.team(session_id),
  prompt: ({ session_id }) => paths.run(session_id),
} satisfies Record<Message["part"], (message: Message) => string>
