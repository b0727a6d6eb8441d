import { costText, tokenCount } from "@switchyard/core/people/usage/amounts"
import { chartDay } from "./days.ts"
import type { Measure, Plot } from "./series.ts"

/** Colours of the series. The last one is for all others combined. */
const colours = [
  "var(--color-accent)",
  "var(--color-info)",
  "var(--color-plum)",
  "var(--color-rose)",
  "var(--color-ink-3)",
]

interface Props {
  plot: Plot
  measure: Measure
  /** Returns a series' label. */
  nameOf(name: string | null): string
}

/** One column per day, with a part for each series. The daily table shows the same in words. */
export function UsageChart({ plot, measure, nameOf }: Props) {
  const { series, columns, top } = plot
  const first = columns[0]?.day
  const last = columns.at(-1)?.day
  if (!first || !last || series.length === 0) return null
  return (
    <figure className="mb-6">
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 text-xs text-ink-3 nums" aria-hidden>
        <div className="flex flex-col justify-between text-right leading-none">
          <span>{amountText(top, measure)}</span>
          <span>{amountText(top / 2, measure)}</span>
          <span>0</span>
        </div>
        <div className="flex h-48 items-end gap-px border-b border-strong bg-[linear-gradient(var(--color-line),var(--color-line))] bg-[length:100%_1px] bg-[position:0_50%] bg-no-repeat">
          {columns.map(({ day, parts, sum }) => (
            <div
              key={day}
              title={`${chartDay(day)}: ${amountText(sum, measure)}`}
              className="flex h-full min-w-0 flex-1 flex-col-reverse hover:bg-well"
            >
              {parts.map((part, index) => (
                <div
                  key={series[index] ?? ""}
                  style={{ height: `${(part / top) * 100}%`, background: colours[index] }}
                  className="mx-auto w-full max-w-6"
                />
              ))}
            </div>
          ))}
        </div>
        <span />
        <div className="mt-1 flex justify-between">
          <span>{chartDay(first)}</span>
          <span>{chartDay(last)}</span>
        </div>
      </div>
      <figcaption className="mt-2">
        <span className="unseen">{`${measure} per day, ${chartDay(first)} to ${chartDay(last)}.`}</span>
        <ul className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-ink-2">
          {series.map((name, index) => (
            <li key={name ?? "rest"} className="flex min-w-0 items-center gap-1.5">
              <span aria-hidden className="size-2.5 shrink-0 rounded-sm" style={{ background: colours[index] }} />
              <span className="truncate">{nameOf(name)}</span>
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  )
}

const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 })

function amountText(amount: number, measure: Measure): string {
  if (measure === "Tokens") return amount < 10_000 ? tokenCount(Math.round(amount)) : compact.format(amount)
  return costText({ cost_usd: amount, cost_is_complete: true })
}
