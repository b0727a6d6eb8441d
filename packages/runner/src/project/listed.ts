const MOST = 5

/** The first few names, and the number of the others: "a, b, and 3 more". `total` where not all of them are given. */
export function listed(names: string[], total: number = names.length): string {
  const named = names.slice(0, MOST)
  const rest = total - named.length
  return rest > 0 ? `${named.join(", ")}, and ${rest} more` : named.join(", ")
}
