import { isScalar, type Node, parseDocument, type Scalar, visit } from "yaml"
import { type Fault, faultAt, lineAt } from "../facts/finding.ts"

/** Finds the first duplicate key in a JSON or YAML object. Parsers reject duplicates or drop the first value. */
export function checkDuplicateKeys(text: string): Fault[] {
  const faults: Fault[] = []
  visit(parseDocument(text, { logLevel: "silent", prettyErrors: false, uniqueKeys: false }), {
    Map(_, map) {
      const twice = firstTwice(map.items.map(({ key }) => key as Node))
      if (!twice?.range) return undefined
      const message = `the key "${twice.value}" is repeated in the same object.`
      faults.push(faultAt(lineAt(text, twice.range[0]), "duplicate_key", message))
      return visit.BREAK
    },
  })
  return faults
}

/** Returns the first duplicate key. Ignores `<<`, because YAML allows it more than once. */
function firstTwice(keys: Node[]): Scalar | undefined {
  const seen = new Set<unknown>(["<<"])
  return keys.filter(isScalar).find(({ value }) => {
    const isTwice = value !== "<<" && seen.has(value)
    seen.add(value)
    return isTwice
  })
}
