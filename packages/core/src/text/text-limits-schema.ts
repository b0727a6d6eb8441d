/** Maximum lengths of texts from people or programs, by kind, in UTF-16 units. */
export const TEXT_LIMITS = {
  prompt: 200_000,
  message: 100_000,
  goal: 20_000,
  answer: 4000,
} as const
export type LimitedText = keyof typeof TEXT_LIMITS

/**
 * Returns the arguments for a schema's `max`: the limit, and the error for texts that are longer. The error is created
 * when it is needed, because loading number formats takes as long as loading dozens of schemas.
 */
export function charLimit(text: LimitedText): [max: number, params: { error: () => string }] {
  const max = TEXT_LIMITS[text]
  return [max, { error: () => `It is longer than ${max.toLocaleString("en")} characters.` }]
}
