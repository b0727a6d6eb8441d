/**
 * Average number of times that each character may be rescanned. Without this limit, unclosed braces would take
 * quadratic time.
 */
const READINGS = 50

/**
 * Returns every balanced `{…}` in a text, in order. Of nested objects, the outermost comes first. Ignores braces inside
 * JSON strings, fences and backticks. If a text has very many unclosed braces, ignores those after a limit.
 */
export function balancedObjects(text: string): string[] {
  const found: string[] = []
  let left = READINGS * text.length
  for (let at = text.indexOf("{"); at !== -1 && left > 0; at = text.indexOf("{", at)) {
    const end = closing(text, at)
    left -= (end ?? text.length) - at
    if (end === undefined) {
      at++
      continue
    }
    const object = text.slice(at, end + 1)
    found.push(object)
    // Look inside an object that isn't JSON. It may be prose in braces that contains JSON.
    at = isJson(object) ? end + 1 : at + 1
  }
  return found
}

function closing(text: string, from: number): number | undefined {
  let depth = 0
  let quoted = false
  for (let at = from; at < text.length; at++) {
    const char = text[at]
    if (quoted) {
      if (char === "\\") at++
      else if (char === '"') quoted = false
    } else if (char === '"') quoted = true
    else if (char === "{") depth++
    else if (char === "}" && --depth === 0) return at
  }
  return undefined
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
