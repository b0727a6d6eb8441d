import type { Node } from "web-tree-sitter"
import type { FileSymbol } from "./schema.ts"
import { oneLine } from "./signature.ts"

/** Returns up to `atMost` elements of the page that other code looks up or that load other files. */
export function elementsIn(root: Node, text: string, atMost: number): FileSymbol[] {
  const symbols: FileSymbol[] = []
  for (const tag of root.descendantsOfType(["start_tag", "self_closing_tag"])) {
    if (symbols.length === atMost) break
    const name = referenceOf(tag, text)
    if (name === undefined) continue
    const line = tag.startPosition.row + 1
    symbols.push({ name: oneLine(name), kind: "element", signature: oneLine(textOf(tag, text)), line, members: [] })
  }
  return symbols
}

/** Returns an element's ID, or the URL of the file that it loads. Ignores links to other pages. */
function referenceOf(tag: Node, text: string): string | undefined {
  const [element, ...attributes] = tag.namedChildren
  const wanted = /^a$/i.test(textOf(element, text)) ? /^id$/i : /^(?:id|src|href)$/i
  const found = attributes.find((attribute) => wanted.test(textOf(attribute.namedChild(0), text)))
  return found && textOf(found.namedChild(1), text).replace(/^["']|["']$/g, "")
}

function textOf(node: Node | null | undefined, text: string): string {
  return node ? text.slice(node.startIndex, node.endIndex) : ""
}
