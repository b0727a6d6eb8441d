/** The most characters of a text that people or programs send, by what it is. They are counted in UTF-16 units, as JavaScript does. */
export const TEXT_LIMITS = {
  prompt: 200_000,
  message: 100_000,
  goal: 20_000,
  answer: 4000,
} as const
export type LimitedText = keyof typeof TEXT_LIMITS

/** The arguments of a schema's `max` for a text: the limit, and the words for one that is longer. */
export function charLimit(text: LimitedText): [max: number, error: string] {
  const max = TEXT_LIMITS[text]
  return [max, `It is longer than ${max.toLocaleString("en")} characters.`]
}
