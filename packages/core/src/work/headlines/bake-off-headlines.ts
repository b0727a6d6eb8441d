import { row, success, warning } from "./headline.ts"

export const bakeOffHeadlines = {
  bake_off_started: ({ entrants }: { entrants: { name: string }[] }) =>
    row("system", `Comparing ${entrants.map(({ name }) => name).join(", ")}`),
  bake_off_pinned: ({ base_commit }: { base_commit: string }) =>
    row("system", `All agents start from ${base_commit.slice(0, 9)}`),
  bake_off_chosen: () => row("system", "Result chosen"),
  bake_off_reopened: ({ reason }: { reason: string }) =>
    warning("system", "The chosen work couldn't be merged", [], reason),
  bake_off_settled: ({ adopted, rows }: { adopted: string | null; rows: { agent_id: string; name: string }[] }) => {
    const name = rows.find(({ agent_id }) => agent_id === adopted)?.name
    const text = name === undefined ? "Comparison finished: all results discarded" : `Comparison finished: kept ${name}`
    return success("system", text)
  },
}
