import { keepPreviousData } from "@tanstack/react-query"
import { list, number, object, orNull, text } from "../../api/decode.ts"
import { useResponse } from "../../session/context/requests.ts"
import { useModel } from "../../session/models/use-model.ts"
import { useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { count } from "./count.ts"

const Forecast = object({
  lost_tokens: number,
  cost_usd: orNull(number),
  changes: list(object({ tier: text, path: text, reason: text })),
})

/** Fewer tokens than this aren't worth mentioning. */
const WORTH_TELLING = 2000

/**
 * Says how many tokens of the provider's cache the next message would have to rewrite, and why. Nothing if there are
 * few.
 */
export function CacheNotice() {
  const { sessionId: id } = useShownSession()
  const { name: model } = useModel()
  const changedSeq = useSessionData(({ live }) => live.chat?.changedSeq ?? 0)
  const version = useSessionData(({ live }) => live.files.version)
  const { data } = useResponse(
    ["chat-forecast", id, changedSeq, version, model],
    "GET /api/v1/sessions/{id}/chat/forecast",
    { path: { id }, query: { model }, response: Forecast },
    { enabled: changedSeq > 0, placeholderData: keepPreviousData },
  )
  if (!data || data.lost_tokens < WORTH_TELLING) return null
  const [first, ...others] = data.changes
  const cost = data.cost_usd === null ? "" : ` (about $${data.cost_usd.toFixed(data.cost_usd < 0.1 ? 3 : 2)})`
  return (
    <p className="mb-1.5 px-1 text-xs text-need nums">
      Sending this message resets {count(data.lost_tokens)} cached tokens{cost}
      {first && (
        <>
          : <span className="font-mono">{first.path}</span> {REASONS[first.reason] ?? "changed"} in {first.tier}
          {others.length > 0 && `, and ${others.length} more`}
        </>
      )}
    </p>
  )
}

const REASONS: Record<string, string> = {
  edited: "was edited",
  added: "was added",
  removed: "was removed",
  moved: "was moved",
}
