import type { Tree } from "web-tree-sitter"
import { type Fault, faultAt } from "../facts/finding.ts"

/** Imports of the standard library that a Go file doesn't use: its compiler refuses such a file. */
export function checkGo({ rootNode }: Tree, text: string): Fault[] {
  if (/^import "C"|^\/\/go:build ignore/m.test(text)) return []
  return rootNode.descendantsOfType("import_spec").flatMap((spec) => {
    const path = spec.childForFieldName("path")?.text.slice(1, -1) ?? ""
    const name = spec.childForFieldName("name")?.text ?? standardName(path)
    // A comment or a string may name it, too; then nothing is said.
    if (name === undefined || !/^[a-z]\w*$/i.test(name) || new RegExp(`\\b${name}\\s*\\.`).test(text)) return []
    return [faultAt(spec.startPosition.row + 1, "syntax", `"${path}" is imported and not used.`)]
  })
}

/** The name of a package of the standard library; others may have another one than their path says. */
function standardName(path: string): string | undefined {
  if (path.split("/", 1)[0]?.includes(".")) return undefined
  return path
    .replace(/\/v\d+$/, "")
    .split("/")
    .at(-1)
}
