/** Default token budget for the files that a model receives. */
export const DEFAULT_FILE_TOKENS = 24_000

/**
 * Additional share of the budget, for outlines. Outlines are short, so a quarter of the budget covers far more files.
 */
const OUTLINE_SHARE = 0.25

export function outlineTokens(fileTokens: number): number {
  return Math.floor(fileTokens * OUTLINE_SHARE)
}

/**
 * Share of the budget for the names of all files, which the coder receives once per run. It is enough for more than a
 * thousand names.
 */
const NAMES_SHARE = 0.4
const MIN_NAME_TOKENS = 200

export function nameTokens(fileTokens: number): number {
  return Math.max(MIN_NAME_TOKENS, Math.floor(fileTokens * NAMES_SHARE))
}

/**
 * Returns the number of tokens for each part of a project that doesn't fit completely. The remaining tokens are for the
 * rest of the prompt.
 */
export function projectShares(fileTokens: number): { whole: number; outlines: number; names: number } {
  const share = (of: number) => Math.floor(fileTokens * of)
  return { whole: share(0.58), outlines: share(0.14), names: Math.max(MIN_NAME_TOKENS, share(0.16)) }
}

/**
 * Returns the files that fit into a token budget. The decision on each file depends only on the files before it, so a
 * file added at the end doesn't affect the others.
 */
export function fittingFiles<File extends { sizeBytes: number }>(files: File[], maxTokens: number): Set<File> {
  let tokensLeft = maxTokens
  return new Set(
    files.filter(({ sizeBytes }) => {
      const fits = estimateTokens(sizeBytes) <= tokensLeft
      if (fits) tokensLeft -= estimateTokens(sizeBytes)
      return fits
    }),
  )
}

/** Estimates the number of tokens as one per four bytes. Exact counts differ between models. */
export function estimateTokens(sizeBytes: number): number {
  return Math.ceil(sizeBytes / 4)
}
