/** Ways to group usage, with labels for usage that doesn't belong to any group. */
export const usageGroupings = {
  account: { title: "Account", without: "No account" },
  repository: { title: "Repository", without: "No repository" },
  model: { title: "Model", without: "Unknown model" },
  session: { title: "Session", without: "No session" },
} as const
export type UsageGrouping = keyof typeof usageGroupings

export const spans = { "7": "7 days", "30": "30 days", "90": "90 days" } as const
export type Days = keyof typeof spans

/** Returns the choices in a URL, with defaults for missing ones. */
export function choicesIn(search: string): { by: UsageGrouping; days: Days } {
  const asked = new URLSearchParams(search)
  const by = asked.get("by")
  const days = asked.get("days")
  return {
    by: by !== null && by in usageGroupings ? (by as UsageGrouping) : "account",
    days: days !== null && days in spans ? (days as Days) : "30",
  }
}
