/** Default token budget for the files that a model receives. */
export const DEFAULT_FILE_TOKENS = 24_000

/** Additional share for outlines. They are short, so a quarter of the budget covers far more files. */
const OUTLINE_SHARE = 0.25

export function outlineTokens(fileTokens: number): number {
  return Math.floor(fileTokens * OUTLINE_SHARE)
}

/** Share for the names of all files, which the coder receives once a run. It covers more than a thousand names. */
const NAMES_SHARE = 0.4
const MIN_NAME_TOKENS = 200

export function nameTokens(fileTokens: number): number {
  return Math.max(MIN_NAME_TOKENS, Math.floor(fileTokens * NAMES_SHARE))
}

/**
 * Returns the tokens for each part of a project that doesn't fit completely. The remaining tokens are for the prompt
 * around it.
 */
export function projectShares(fileTokens: number): { whole: number; outlines: number; names: number } {
  const share = (of: number) => Math.floor(fileTokens * of)
  return { whole: share(0.58), outlines: share(0.14), names: Math.max(MIN_NAME_TOKENS, share(0.16)) }
}

/**
 * Returns the files that fit into a token budget. Each decision depends only on earlier files. A file added at the end
 * doesn't affect the others.
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

/** Estimates tokens as four bytes each. Exact counts differ between models. */
export function estimateTokens(sizeBytes: number): number {
  return Math.ceil(sizeBytes / 4)
}
