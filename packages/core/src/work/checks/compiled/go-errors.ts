import type { Tree } from "web-tree-sitter"
import { type Fault, faultAt } from "../facts/finding.ts"

/** Finds unused imports from the standard library, which the Go compiler rejects. */
export function checkGo({ rootNode }: Tree, text: string): Fault[] {
  if (/^import "C"|^\/\/go:build ignore/m.test(text)) return []
  return rootNode.descendantsOfType("import_spec").flatMap((spec) => {
    const path = spec.childForFieldName("path")?.text.slice(1, -1) ?? ""
    const name = spec.childForFieldName("name")?.text ?? standardName(path)
    // The import also counts as used if its name occurs only in a comment or string.
    if (name === undefined || !/^[a-z]\w*$/i.test(name) || new RegExp(`\\b${name}\\s*\\.`).test(text)) return []
    return [faultAt(spec.startPosition.row + 1, "syntax", `"${path}" is imported and not used.`)]
  })
}

/**
 * Returns the name of a standard library package. Undefined for other packages, because their names may differ from
 * their paths.
 */
function standardName(path: string): string | undefined {
  if (path.split("/", 1)[0]?.includes(".")) return undefined
  return path
    .replace(/\/v\d+$/, "")
    .split("/")
    .at(-1)
}
