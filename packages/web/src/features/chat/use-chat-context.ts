import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { type Decoded, flag, list, number, object, optional, orNull, text } from "../../api/decode.ts"
import { useStudio } from "../../session/context/studio.ts"
import type { SessionStore } from "../../session/stream/session-store.ts"
import { useSessionData } from "../../session/view/use-session.ts"

const Move = object({ key: text, from: text, to: text })
const Tier = object({
  tier: text,
  tokens: number,
  cached: flag,
  contents: list(object({ type: text, count: number, tokens: number })),
})
const ShownPage = object({ url: text, title: text, summary: optional(text) })
const Context = object({
  pages: list(ShownPage),
  context: orNull(
    object({
      tiers: list(Tier),
      history_tokens: number,
      history_budget: number,
      unmapped_files: optional(number),
      rebuilt: optional(list(object({ tier: text, before: number, after: number }))),
      promotions: list(Move),
      demotions: list(Move),
    }),
  ),
})
type Context = Decoded<typeof Context>
export type Figures = NonNullable<Context["context"]>
export type ShownPage = Decoded<typeof ShownPage>

/** The context of the newest turn, and the pages that the next one shows the model; undefined until it is loaded. */
export function useChatContext(session: SessionStore): Context | undefined {
  const { api } = useStudio()
  const id = session.sessionId
  const changedSeq = useSessionData(session, ({ live }) => live.chat?.changedSeq ?? 0)
  const { data } = useQuery({
    queryKey: ["chat-context", id, changedSeq],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      api.call("GET /api/v1/sessions/{id}/chat/context", { path: { id }, response: Context, signal }),
  })
  return data
}
