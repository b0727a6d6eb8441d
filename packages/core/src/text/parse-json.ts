/**
 * Parses JSON from untrusted sources. Returns undefined if the JSON is invalid, or if it is nested so deeply that code
 * that walks it could overflow the stack.
 */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const MAX_DEPTH = 500

function isTooDeep(text: string): boolean {
  let depth = 0
  let isString = false
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) isString = !isString
    else if (isString) at += char === BACKSLASH ? 1 : 0
    else if (char === BRACKET || char === BRACE) depth++
    else if (char === CLOSING_BRACKET || char === CLOSING_BRACE) depth--
    if (depth > MAX_DEPTH) return true
  }
  return false
}

const [QUOTE, BACKSLASH, BRACKET, CLOSING_BRACKET, BRACE, CLOSING_BRACE] = [34, 92, 91, 93, 123, 125]
