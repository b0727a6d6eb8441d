/**
 * Returns the beginning of a text from a page, without control characters that would affect the surrounding text. Keeps
 * line breaks and tabs.
 */
export function plainText(text: string, maxChars: number): string {
  return text
    .slice(0, maxChars)
    .toWellFormed()
    .replaceAll(/[^\P{C}\n\t]/gu, "")
}
