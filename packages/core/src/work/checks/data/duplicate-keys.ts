import { isScalar, type Node, parseDocument, type Scalar, visit } from "yaml"
import { type Fault, faultAt, lineAt } from "../facts/finding.ts"

/** The first key of JSON or YAML that an object has twice: readers refuse it, or drop all that stands at the first. */
export function checkDuplicateKeys(text: string): Fault[] {
  const faults: Fault[] = []
  visit(parseDocument(text, { logLevel: "silent", prettyErrors: false, uniqueKeys: false }), {
    Map(_, map) {
      const twice = firstTwice(map.items.map(({ key }) => key as Node))
      if (!twice?.range) return undefined
      const message = `the key "${twice.value}" stands here for a second time, in the same object.`
      faults.push(faultAt(lineAt(text, twice.range[0]), "duplicate_key", message))
      return visit.BREAK
    },
  })
  return faults
}

/** Of `<<`, YAML merges as many as there are. */
function firstTwice(keys: Node[]): Scalar | undefined {
  const seen = new Set<unknown>(["<<"])
  return keys.filter(isScalar).find(({ value }) => {
    const isTwice = value !== "<<" && seen.has(value)
    seen.add(value)
    return isTwice
  })
}
