/** The tokens of files that a model is given whole, if nothing else is set. */
export const DEFAULT_FILE_TOKENS = 24_000

/** The share of tokens that outlines get on top of that: a fourth of it holds the declarations of far more files. */
const OUTLINE_SHARE = 0.25

export function outlineTokens(fileTokens: number): number {
  return Math.floor(fileTokens * OUTLINE_SHARE)
}

/**
 * The files that fit into a budget of tokens. Each is judged by those before it alone, so a file more at the end changes
 * nothing about the others.
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

/** By the rule of thumb of four bytes a token: exact counts differ from model to model. */
export function estimateTokens(sizeBytes: number): number {
  return Math.ceil(sizeBytes / 4)
}
