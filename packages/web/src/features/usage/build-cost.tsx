import { oldPriceText } from "@switchyard/core/models/price-age"
import { estimateText } from "@switchyard/core/people/usage/amounts"
import { number, object, orNull, text } from "../../api/decode.ts"
import { useResponse } from "../../session/context/requests.ts"
import { useStudio } from "../../session/context/studio.ts"
import { useModel } from "../../session/models/use-model.ts"
import { longDay } from "./days.ts"

const Estimate = object({
  model: text,
  usd: orNull(object({ low: number, high: number })),
  builds: number,
  prices_as_of: text,
})

/**
 * The probable cost of the next build with the chosen model. Empty if the model is free or its price is unknown.
 * `compact`: shows only the amount.
 */
export function BuildCost({ compact = false }: { compact?: boolean }) {
  const { clock } = useStudio()
  const { name } = useModel()
  const { data } = useResponse(
    ["build-cost", name],
    "GET /api/v1/usage/estimate",
    { query: { model: name }, response: Estimate },
    { staleTime: 60_000, retry: false },
  )
  const about = data && estimateText(data)
  if (!about) return null
  const [amount, basis] = about
  const old = oldPriceText(data.prices_as_of, clock.now())
  const day = `Based on list prices as of ${longDay(data.prices_as_of)}`
  return (
    <span
      className="nums min-w-0 shrink-[9] truncate text-ink-3 text-sm"
      title={compact ? `Estimated cost ${basis}. ${day}.` : day}
    >
      <span className="unseen">Estimated cost: </span>≈ {amount}
      {compact ? <span className="unseen"> {basis}</span> : ` ${basis}`}
      {old && ` (${old})`}
    </span>
  )
}
