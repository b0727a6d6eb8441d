import type { Tree } from "web-tree-sitter"
import { nameOf } from "../facts/file-kinds.ts"
import { type Fault, faultAt } from "../facts/finding.ts"

const TYPES = ["class_declaration", "interface_declaration", "enum_declaration", "record_declaration"]

/** Finds a public type that isn't named like its file, which the Java compiler rejects. */
export function checkJava(path: string, { rootNode }: Tree): Fault[] {
  const wanted = nameOf(path).replace(/\.java$/i, "")
  return rootNode.namedChildren.flatMap((node) => {
    const name = TYPES.includes(node.type) ? node.childForFieldName("name") : null
    const modifiers = node.namedChildren.find(({ type }) => type === "modifiers")?.text ?? ""
    if (!name || name.text === wanted || !/\bpublic\b/.test(modifiers)) return []
    const message = `the public type ${name.text} must be in a file named ${name.text}.java.`
    return [faultAt(name.startPosition.row + 1, "syntax", message)]
  })
}
