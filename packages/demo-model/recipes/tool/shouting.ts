/** The phrase in capital letters. */
export function shout(phrase: string): string {
  if (!/\p{L}/u.test(phrase)) throw new Error("There is no letter in this phrase.")
  return phrase.toUpperCase()
}
