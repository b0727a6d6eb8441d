import { costText, machinesText } from "@switchyard/core/people/usage/amounts"
import { useQuery } from "@tanstack/react-query"
import { flag, number, object, orNull } from "../../../api/decode.ts"
import { useStudio } from "../../../session/context/studio.ts"
import type { RunView } from "../../../session/stream/run.ts"

const Total = {
  reports: number,
  cost_usd: orNull(number),
  cost_is_complete: flag,
  machine_seconds: number,
  machine_usd: number,
}
const Used = object({ total: object(Total) })

/** The usage of a run is counted shortly after its end. */
const AGAIN_MS = 3000
const ATTEMPTS = 5

/** The cost of a run that has ended, and that of its machine in AWS, as estimates by list prices; nothing where both are nothing. */
export function RunCost({ run: { runId, startedAt } }: { run: RunView }) {
  const { api } = useStudio()
  const { data } = useQuery({
    queryKey: ["run-cost", runId],
    queryFn: ({ signal }) =>
      api.call("GET /api/v1/usage", {
        query: { run: runId, from: startedAt.slice(0, 10) },
        response: Used,
        signal,
      }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state: { data, dataUpdateCount } }) => {
      const isCounted = data !== undefined && data.total.reports + data.total.machine_seconds > 0
      return isCounted || dataUpdateCount >= ATTEMPTS ? false : AGAIN_MS
    },
    retry: false,
  })
  const usage = data?.total
  if (!usage) return null
  const costs = [
    usage.cost_usd !== null && usage.cost_usd > 0 && costText(usage),
    usage.machine_seconds > 0 && `machine ${machinesText(usage)}`,
    !usage.cost_is_complete && usage.cost_usd === null && "cost unknown",
  ].filter(Boolean)
  if (costs.length === 0) return null
  return <span title="Estimates by list prices"> · {costs.join(" · ")}</span>
}
