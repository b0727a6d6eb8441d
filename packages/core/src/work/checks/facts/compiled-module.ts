import type { Tree } from "web-tree-sitter"

/**
 * Imports of a Go or Rust file. In Go, these are package paths. In Rust, they are names of modules in separate files.
 */
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

/**
 * Collects the modules declared at the root of a Rust file. Skips modules with an attribute, because the attribute may
 * move or disable the module.
 */
export function readRust({ rootNode }: Tree): CompiledModule<"rust"> {
  const imports = rootNode.namedChildren.flatMap((node) => {
    if (node.type !== "mod_item" || node.childForFieldName("body")) return []
    if (node.previousNamedSibling?.type === "attribute_item") return []
    return [{ name: node.childForFieldName("name")?.text ?? "", line: node.startPosition.row + 1 }]
  })
  return { language: "rust", imports }
}
