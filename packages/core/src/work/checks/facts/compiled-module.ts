import type { Tree } from "web-tree-sitter"

/** The imports of a Go or Rust file: paths of packages, or the names of modules that have files of their own. */
export interface CompiledModule<L = "go" | "rust"> {
  language: L
  imports: { name: string; line: number }[]
}

export function readGo({ rootNode }: Tree): CompiledModule<"go"> {
  const imports = rootNode.descendantsOfType("import_spec").flatMap((spec) => {
    const path = spec.childForFieldName("path")
    return path ? [{ name: path.text.slice(1, -1), line: spec.startPosition.row + 1 }] : []
  })
  return { language: "go", imports }
}

/** The modules that are declared at a Rust file's root, unless an attribute may have them elsewhere or nowhere. */
export function readRust({ rootNode }: Tree): CompiledModule<"rust"> {
  const imports = rootNode.namedChildren.flatMap((node) => {
    if (node.type !== "mod_item" || node.childForFieldName("body")) return []
    if (node.previousNamedSibling?.type === "attribute_item") return []
    return [{ name: node.childForFieldName("name")?.text ?? "", line: node.startPosition.row + 1 }]
  })
  return { language: "rust", imports }
}
