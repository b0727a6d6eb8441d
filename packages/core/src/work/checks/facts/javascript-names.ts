import type { Tree } from "web-tree-sitter"
import { type NameRole, type Names, readNames } from "./names.ts"

const KINDS: ReadonlySet<string> = new Set([
  "identifier",
  "shorthand_property_identifier",
  "shorthand_property_identifier_pattern",
  "type_identifier",
])

/**
 * Collects the names in a JavaScript or TypeScript file. The name of a type counts only if it is also the name of a
 * value.
 */
export function readJavaScriptNames(tree: Tree): Names {
  return readNames(tree, KINDS, ({ type, field, name }, parent, grandparent) => {
    if (type === "shorthand_property_identifier") return "use"
    if (type === "type_identifier") return field === "name" ? "binding" : "other"
    if (parent.type === "enum_assignment" || grandparent.type === "enum_assignment") return "other"
    // Lower-case tags are HTML elements, not names.
    if (ELEMENTS.has(parent.type)) return /^[a-z]/.test(name) ? "other" : "use"
    return roleIn(parent.type, field)
  })
}

/**
 * Types of nodes in which every direct child identifier is a reference. In other types, only identifiers in the fields
 * below are references.
 */
const USES: ReadonlySet<string> = new Set(
  "arguments array await_expression binary_expression jsx_expression new_expression parenthesized_expression return_statement spread_element subscript_expression template_substitution ternary_expression throw_statement unary_expression update_expression".split(
    " ",
  ),
)
const FIELDS = new Map(
  Object.entries({
    arrow_function: "body",
    assignment_expression: "right",
    augmented_assignment_expression: "right",
    call_expression: "function",
    for_in_statement: "right",
    member_expression: "object",
    pair: "value",
    variable_declarator: "value",
  }),
)
const ELEMENTS = new Set(["jsx_opening_element", "jsx_self_closing_element"])

function roleIn(parent: string, field: string | null): NameRole {
  if (parent === "jsx_closing_element") return "other"
  return USES.has(parent) || (field !== null && FIELDS.get(parent) === field) ? "use" : "binding"
}
