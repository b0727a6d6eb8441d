import { useState } from "react"
import { useLocation, useSearch } from "wouter"
import { paths } from "../../session/context/routes.ts"
import { useStudio } from "../../session/context/studio.ts"
import { Empty, Notice, UnloadedList } from "../../ui/notice.tsx"
import { Segments } from "../../ui/segments.tsx"
import { TextLink } from "../../ui/text-link.tsx"
import { AccountLimits } from "./account-limits.tsx"
import { BudgetSection } from "./budget-section.tsx"
import { choicesIn, type Days, spans, type UsageGrouping, usageGroupings } from "./choices.ts"
import { chartDay, longDay } from "./days.ts"
import { amountOf, type Measure, measures, plotOf } from "./series.ts"
import { UsageChart } from "./usage-chart.tsx"
import { UsageTable } from "./usage-table.tsx"
import { type NamedGroup, type Usage, useDailyUsage, useUsage } from "./use-usage.ts"

/** The usage of the user's runs: tokens and their cost per day, by account, repository, model or session. */
export function UsageScreen() {
  const { by, days } = choicesIn(useSearch())
  const [, go] = useLocation()
  const usage = useUsage(by, days)
  const [chosen, setMeasure] = useState<Measure | null>(null)
  const measure = chosen ?? (usage.data?.report.total.cost_usd ? "Cost" : "Tokens")
  const choose = (next: { by?: UsageGrouping; days?: Days }) =>
    go(paths.usage({ by, days, ...next }), { replace: true })
  return (
    <div className="relative h-full overflow-y-auto" data-region="main" tabIndex={-1}>
      <div className="mx-auto max-w-4xl p-6 max-md:p-4">
        <h1 className="mb-4 text-xl font-semibold">Usage</h1>
        <BudgetSection />
        <div className="mb-5 flex flex-wrap gap-3">
          <Segments
            legend="Group by"
            options={Object.keys(usageGroupings) as UsageGrouping[]}
            label={(one) => usageGroupings[one].title}
            value={by}
            onChange={(next) => choose({ by: next })}
          />
          <Segments
            legend="Period"
            options={Object.keys(spans) as Days[]}
            label={(one) => spans[one]}
            value={days}
            onChange={(next) => choose({ days: next })}
          />
          <Segments legend="Show" options={measures} value={measure} onChange={(next: Measure) => setMeasure(next)} />
        </div>
        {usage.data ? <Used usage={usage.data} by={by} measure={measure} /> : <UnloadedList list={usage} lines={6} />}
        <AccountLimits />
      </div>
    </div>
  )
}

function Used({ usage, by, measure }: { usage: Usage; by: UsageGrouping; measure: Measure }) {
  const { report, plotted } = usage
  const { from, to, groups, total } = report
  const plot = plotOf(plotted, { from, to, measure })
  if (groups.length === 0) {
    return (
      <Empty title={`No usage from ${chartDay(from)} to ${chartDay(to)}`}>Runs appear here within a few minutes.</Empty>
    )
  }
  const largestFirst = groups.toSorted((a, b) => amountOf(b, measure) - amountOf(a, measure))
  return (
    <>
      <UsageChart
        plot={plot}
        measure={measure}
        nameOf={(name) => (name === null ? "All others" : name || usageGroupings[by].without)}
      />
      {measure === "Cost" && !total.cost_is_complete && (
        <Notice className="mb-4">The chart doesn't include unknown costs.</Notice>
      )}
      <UsageTable
        heading={usageGroupings[by].title}
        total={total}
        rows={largestFirst.map((group) => ({ key: group.name, name: <Name by={by} group={group} />, amounts: group }))}
      />
      <DayByDay from={from} to={to} />
      <Footnotes report={report} by={by} />
    </>
  )
}

function DayByDay(days: { from: string; to: string }) {
  const [open, setOpen] = useState(false)
  const daily = useDailyUsage(days, open)
  return (
    <details className="mt-4" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="py-1 text-sm text-ink-2">By day</summary>
      {daily.data ? (
        <UsageTable
          heading="Day"
          total={daily.data.total}
          rows={daily.data.groups.map(({ day = null, ...amounts }) => ({
            key: day ?? "",
            name: day ? chartDay(day) : "",
            amounts,
          }))}
        />
      ) : (
        <UnloadedList list={daily} lines={4} />
      )}
    </details>
  )
}

function Name({ by, group: { name } }: { by: UsageGrouping; group: NamedGroup }) {
  if (name === "") return <span className="text-ink-3">{usageGroupings[by].without}</span>
  if (by !== "session") return <span title={name}>{name}</span>
  return <TextLink href={paths.session(name)}>{name}</TextLink>
}

function Footnotes({ report, by }: { report: Usage["report"]; by: UsageGrouping }) {
  const { from, to, prices_as_of, machines, total } = report
  const { api } = useStudio()
  const table = api.url("GET /api/v1/usage.csv", { query: { from, to, group_by: `day,${by}` } })
  return (
    <div className="mt-4 flex flex-col gap-1 text-sm text-ink-3">
      <p>
        Costs are estimated from list prices ({longDay(prices_as_of)}) or reported by agents. ~ marks an estimate; -
        means unknown.
      </p>
      {total.machine_seconds > 0 && (
        <p>
          Machine costs aren't included. They're estimated from AWS prices in {machines.region} (
          {longDay(machines.prices_as_of)}). An agent costs about ${machines.container_hour_usd.toFixed(2)} an hour.
        </p>
      )}
      <p>
        <a href={table} download className="text-accent underline underline-offset-2">
          Download as CSV
        </a>
      </p>
    </div>
  )
}
