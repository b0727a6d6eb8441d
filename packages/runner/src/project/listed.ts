const MOST = 5

/**
 * Lists the first few names and the number of other names: "a, b, and 3 more". If `names` is incomplete, pass `total`.
 */
export function listed(names: string[], total: number = names.length): string {
  const named = names.slice(0, MOST)
  const rest = total - named.length
  return rest > 0 ? `${named.join(", ")}, and ${rest} more` : named.join(", ")
}
