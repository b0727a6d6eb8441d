import { usageCsv } from "@switchyard/core/people/usage/csv"
import { UsageQuery } from "@switchyard/core/people/usage/schema"
import { UsageReport } from "../api/responses.ts"
import type { Cli } from "../cli.ts"
import { UsageError } from "../errors/errors.ts"
import { usageTable } from "./usage-table.ts"

export interface UsageOptions {
  by: string
  from?: string
  to?: string
  csv?: boolean
  owner?: string
}

/**
 * Shows usage as a table, with one line per day or per other group. By default, shows the usage of the caller's runs.
 * Administrators can choose another owner.
 */
export async function usage({ api, terminal }: Cli, options: UsageOptions): Promise<void> {
  const { by, from, to, owner } = options
  const query = UsageQuery.safeParse({ group_by: by, from, to })
  if (!query.success) throw new UsageError(query.error.issues[0]?.message ?? "The request isn't valid.")
  const report = await api.ask("GET /api/v1/usage", UsageReport, { query: { ...query.data, owner } })
  if (terminal.json) terminal.printJson(report)
  else if (options.csv) for (const line of usageCsv(report, by).trimEnd().split("\r\n")) terminal.print(line)
  else {
    for (const line of usageTable(report, by.split(",").filter(Boolean))) terminal.print(line)
    terminal.notice(`Costs are estimates based on list prices as of ${report.prices_as_of}, or reported by the agents.`)
  }
}
