import { keepPreviousData } from "@tanstack/react-query"
import { type Decoded, flag, list, number, object, optional, orNull, text } from "../../api/decode.ts"
import { useResponse } from "../../session/context/requests.ts"
import { useSessionData, useShownSession } from "../../session/view/use-session.ts"

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

/** Returns the latest turn's context, and the pages included in the next one; undefined until loaded. */
export function useChatContext(): Context | undefined {
  const { sessionId: id } = useShownSession()
  const changedSeq = useSessionData(({ live }) => live.chat?.changedSeq ?? 0)
  const { data } = useResponse(
    ["chat-context", id, changedSeq],
    "GET /api/v1/sessions/{id}/chat/context",
    { path: { id }, response: Context },
    { placeholderData: keepPreviousData },
  )
  return data
}
