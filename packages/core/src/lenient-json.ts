/** The same text without comments and last commas, which some readers of JSON let pass. Lines keep their numbers. */
export function toStrictJson(text: string): string {
  const withoutComments = text.replaceAll(STRING_OR_COMMENT, (found) =>
    found.startsWith('"') ? found : found.replaceAll(/[^\n]/g, " "),
  )
  return withoutComments.replaceAll(STRING_OR_COMMA, (found) =>
    found.startsWith(",") ? found.replace(",", " ") : found,
  )
}

// A string may lack its end: expressions that need it would search for it again from each quote in the string.
const STRING_OR_COMMENT = /"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g
const STRING_OR_COMMA = /"(?:[^"\\\n]|\\.)*"?|,(?=\s*[}\]])/g
