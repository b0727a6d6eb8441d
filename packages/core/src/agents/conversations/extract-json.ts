/** The average number of times that a text is read again: braces that never close would take the square of their number. */
const READINGS = 50

/**
 * Every balanced `{…}` in a text, outermost ones first where they nest, in order. Braces inside JSON strings don't count,
 * and neither fences nor back-ticks matter. In a text of very many braces that don't close, the later ones aren't tried.
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
    // Text that is no JSON may have JSON inside, as prose with braces has.
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
