import { type UsageGroup, UsageReport } from "@switchyard/core/people/usage/schema"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useResponse } from "../../session/context/requests.ts"
import { useStudio } from "../../session/context/studio.ts"
import type { Days, UsageGrouping } from "./choices.ts"
import { dayAfter } from "./series.ts"

export type NamedGroup = UsageGroup & { name: string }

export interface Usage {
  /** Usage over all of the days, by name, with the total. */
  report: Omit<UsageReport, "groups"> & { groups: NamedGroup[] }
  /** The same by day and name. */
  plotted: NamedGroup[]
}

/** Loads the usage of the last days, including today, grouped by a name. */
export function useUsage(by: UsageGrouping, days: Days) {
  const { api } = useStudio()
  return useQuery({
    queryKey: ["usage", by, days],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<Usage> => {
      const from = dayAfter(new Date().toISOString().slice(0, 10), 1 - Number(days))
      const ask = (group_by: string) =>
        api.call("GET /api/v1/usage", { query: { from, group_by }, response: UsageReport, signal })
      const [report, plotted] = await Promise.all([ask(by), ask(`day,${by}`)])
      const named = (group: UsageGroup) => ({ ...group, name: group[by] ?? "" })
      const groups = report.groups.map(named)
      return { report: { ...report, groups }, plotted: plotted.groups.map(named) }
    },
  })
}

/** Loads the usage of each day in a range, once it is `wanted`. */
export function useDailyUsage({ from, to }: { from: string; to: string }, wanted: boolean) {
  return useResponse(
    ["usage", "day", from, to],
    "GET /api/v1/usage",
    { query: { from, to, group_by: "day" }, response: UsageReport },
    { enabled: wanted },
  )
}
