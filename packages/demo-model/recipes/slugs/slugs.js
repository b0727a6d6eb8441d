/** "Crème brûlée, for two!" is "creme-brulee-for-two". Cuts at a word when the slug would be too long. */
export function slugify(text, maxLength = 60) {
  const plain = text.normalize("NFKD").replace(/\p{Diacritic}/gu, "")
  const words = plain.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  if (words.length === 0) throw new Error("There is no letter or digit in this text.")

  const [first, ...rest] = words
  let slug = `${first}`.slice(0, maxLength)
  for (const word of rest) {
    if (slug.length + 1 + word.length > maxLength) break
    slug += `-${word}`
  }
  return slug
}
