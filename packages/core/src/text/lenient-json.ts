/** Removes comments and trailing commas, which some JSON readers accept. Preserves line numbers. */
export function toStrictJson(text: string): string {
  const withoutComments = text.replaceAll(STRING_OR_COMMENT, (found) =>
    found.startsWith('"') ? found : found.replaceAll(/[^\n]/g, " "),
  )
  return withoutComments.replaceAll(STRING_OR_COMMA, (found) =>
    found.startsWith(",") ? found.replace(",", " ") : found,
  )
}

// The closing quote is optional: a pattern that required it would search again from each quote in an unterminated
// string.
const STRING_OR_COMMENT = /"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g
const STRING_OR_COMMA = /"(?:[^"\\\n]|\\.)*"?|,(?=\s*[}\]])/g
