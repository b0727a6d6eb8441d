import { row, success, warning } from "./headline.ts"

export const bakeOffHeadlines = {
  bake_off_started: ({ entrants }: { entrants: { name: string }[] }) =>
    row("system", `Bake-off started: ${entrants.map(({ name }) => name).join(", ")}`),
  bake_off_pinned: ({ base_commit }: { base_commit: string }) =>
    row("system", `Bake-off: all entrants start from ${base_commit.slice(0, 9)}`),
  bake_off_chosen: () => row("system", "Bake-off: a result was chosen"),
  bake_off_reopened: ({ reason }: { reason: string }) =>
    warning("system", "Bake-off: the chosen work couldn't be merged", [], reason),
  bake_off_settled: ({ adopted, rows }: { adopted: string | null; rows: { agent_id: string; name: string }[] }) => {
    const name = rows.find(({ agent_id }) => agent_id === adopted)?.name
    const text = name === undefined ? "Bake-off settled: none was adopted" : `Bake-off settled: ${name} was adopted`
    return success("system", text)
  },
}
