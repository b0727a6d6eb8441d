import { costText, machinesText, tokenCount } from "@switchyard/core/people/usage/amounts"
import type { UsageTotal } from "@switchyard/core/people/usage/schema"
import type { ReactNode } from "react"

export interface UsageRow {
  key: string
  name: ReactNode
  amounts: UsageTotal
}

const columns = ["Input", "Cache read", "Cache write", "Output", "Cost"]

/** Tokens and their cost, one row per name, and the total. There is a column for machines if any were used. */
export function UsageTable({ heading, rows, total }: { heading: string; rows: UsageRow[]; total: UsageTotal }) {
  const withMachines = total.machine_seconds > 0
  return (
    <section
      aria-label={`Usage by ${heading.toLowerCase()}`}
      className="overflow-x-auto"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys must be able to scroll a table wider than the page
      tabIndex={0}
    >
      <table className="w-full min-w-max border-collapse text-sm nums">
        <thead>
          <tr className="border-b border-strong text-ink-2">
            <th scope="col" className="h-8 pr-4 text-left font-semibold">
              {heading}
            </th>
            {[...columns, ...(withMachines ? ["Machines"] : [])].map((column) => (
              <th key={column} scope="col" className="h-8 pl-4 text-right font-semibold">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, name, amounts }) => (
            <tr key={key} className="border-b border-line">
              <th scope="row" className="h-9 max-w-[36ch] truncate pr-4 text-left font-normal">
                {name}
              </th>
              <Amounts of={amounts} withMachines={withMachines} />
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr className="font-semibold">
            <th scope="row" className="h-9 pr-4 text-left">
              Total
            </th>
            <Amounts of={total} withMachines={withMachines} />
          </tr>
        </tfoot>
      </table>
    </section>
  )
}

function Amounts({ of, withMachines }: { of: UsageTotal; withMachines: boolean }) {
  const { tokens, estimated_input, estimated_output } = of
  const cells = {
    input: tokenCount(tokens.input, estimated_input),
    read: tokenCount(tokens.cache_read),
    write: tokenCount(tokens.cache_write),
    output: tokenCount(tokens.output, estimated_output),
    cost: costText(of),
    ...(withMachines && { machines: machinesText(of) }),
  }
  return Object.entries(cells).map(([name, text]) => (
    <td key={name} className="pl-4 text-right">
      {text}
    </td>
  ))
}
