/** 812, 4.1k, 41k, 1.2M: a number of tokens at a glance. */
export function formatTokens(count: number): string {
  if (count < 1000) return String(count)
  if (count < 10_000) return `${(Math.floor(count / 100) / 10).toString()}k`
  if (count < 1_000_000) return `${Math.floor(count / 1000)}k`
  return `${(Math.floor(count / 100_000) / 10).toString()}M`
}
