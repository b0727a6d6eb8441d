/** True if every word of the search is part of the name, in any case. */
export function matchesName(name: string, search: string): boolean {
  const found = fold(name)
  return fold(search)
    .split(/\s+/)
    .every((word) => found.includes(word))
}

/** The letters without their case and accents. */
function fold(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase()
}
