import type { Tree } from "web-tree-sitter"

/** An object member that a script reads or writes. */
export interface MemberUse {
  /** Name of the object, if the object is a plain name or `this`. */
  object: string | undefined
  name: string
  line: number
  isCalled: boolean
}

/** Object members that a script reads, writes and defines, without duplicates. */
export interface Members {
  read: MemberUse[]
  written: MemberUse[]
  /** Names of members defined in the script itself. */
  made: Set<string>
}

const MAKERS = ["pair", "method_definition", "field_definition", "public_field_definition", "property_signature"]
const NAMING = ["method_signature", "abstract_method_signature", "shorthand_property_identifier", "pair_pattern"]

/** Collects the object members that a script uses or defines. */
export function readMembers({ rootNode }: Tree): Members {
  const read = new Map<string, MemberUse>()
  const written = new Map<string, MemberUse>()
  const made = new Set<string>()
  for (const node of rootNode.descendantsOfType([...MAKERS, ...NAMING])) {
    const name = node.childForFieldName("key") ?? node.childForFieldName("name") ?? node.childForFieldName("property")
    made.add((name ?? node).text.replaceAll(/^["'#]|["']$/g, ""))
  }
  for (const node of rootNode.descendantsOfType("member_expression")) {
    const property = node.childForFieldName("property")
    const target = node.childForFieldName("object")
    if (property?.type !== "property_identifier") continue
    const object = /^(?:identifier|this)$/.test(target?.type ?? "") ? target?.text : undefined
    const isCalled = node.parent?.childForFieldName("function")?.id === node.id
    const key = `${object ?? ""}.${property.text}${isCalled ? "()" : ""}`
    const uses = node.parent?.childForFieldName("left")?.id === node.id ? written : read
    if (!uses.has(key)) uses.set(key, { object, name: property.text, isCalled, line: property.startPosition.row + 1 })
  }
  return { read: [...read.values()], written: [...written.values()], made }
}
