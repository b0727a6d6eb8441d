/** Default token budget for files that a model receives in full. */
export const DEFAULT_FILE_TOKENS = 24_000

/** Additional share for outlines. Declarations are short: a quarter of the budget covers far more files. */
const OUTLINE_SHARE = 0.25

export function outlineTokens(fileTokens: number): number {
  return Math.floor(fileTokens * OUTLINE_SHARE)
}

/**
 * Returns the files that fit into a token budget. Each decision depends only on earlier files, so adding a file at the
 * end doesn't affect the others.
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

/** Estimates four bytes per token, because exact counts differ between models. */
export function estimateTokens(sizeBytes: number): number {
  return Math.ceil(sizeBytes / 4)
}
