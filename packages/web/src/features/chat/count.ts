/** Formats a number of tokens in a few characters. */
export function count(tokens: number): string {
  if (tokens < 1000) return String(tokens)
  return tokens < 1_000_000 ? `${(tokens / 1000).toFixed(1)}k` : `${(tokens / 1_000_000).toFixed(1)}M`
}
