import { oldPriceText } from "@switchyard/core/models/price-age"
import { runCostText } from "@switchyard/core/people/usage/amounts"
import { flag, number, object, orNull, text } from "../../../api/decode.ts"
import { useResponse } from "../../../session/context/requests.ts"
import { useStudio } from "../../../session/context/studio.ts"
import { longDay } from "../../usage/days.ts"

const Priced = object({
  cost: orNull(
    object({
      cost_usd: orNull(number),
      cost_is_complete: flag,
      prices_as_of: text,
      machine_seconds: orNull(number),
      machine_usd: orNull(number),
      machine_prices_as_of: text,
    }),
  ),
})

/** The estimated cost of a finished run, for its model and its machine. Nothing if it isn't known. */
export function RunPrice({ runId }: { runId: string }) {
  const { clock } = useStudio()
  const { data } = useResponse(
    ["run-price", runId],
    "GET /v1/runs/{id}",
    { path: { id: runId }, query: {}, response: Priced },
    { staleTime: Number.POSITIVE_INFINITY, retry: false },
  )
  const cost = data?.cost ?? null
  const amounts = runCostText(cost)
  if (!cost || !amounts) return null
  const old = cost.cost_usd ? oldPriceText(cost.prices_as_of, clock.now()) : null
  const days = `Based on model list prices from ${longDay(cost.prices_as_of)} and AWS machine prices from ${longDay(cost.machine_prices_as_of)}.`
  return (
    <span className="text-ink-3 nums" title={days}>
      Estimated cost: {amounts}
      {old && ` (${old})`}
    </span>
  )
}
