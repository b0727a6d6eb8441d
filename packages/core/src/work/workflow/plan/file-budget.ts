/** Default token budget for files that a model receives in full. */
export const DEFAULT_FILE_TOKENS = 24_000

/** Additional share for outlines. A quarter of the budget holds the declarations of far more files. */
const OUTLINE_SHARE = 0.25

export function outlineTokens(fileTokens: number): number {
  return Math.floor(fileTokens * OUTLINE_SHARE)
}

/**
 * Returns the files that fit into a token budget. Each decision depends only on earlier files, so an additional file at
 * the end changes nothing.
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
