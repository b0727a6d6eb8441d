import type { Tree } from "web-tree-sitter"
import { type NameRole, type Names, readNames } from "./names.ts"

const KINDS: ReadonlySet<string> = new Set(["identifier"])

/** Collects the names in a Python file. */
export function readPythonNames(tree: Tree): Names {
  return readNames(tree, KINDS, ({ field }, parent, grandparent) =>
    // In `with a as (b, c)`, the tuple defines `b` and `c`, although the parser returns the same kind of node for a
    // tuple that reads them.
    grandparent.type === "as_pattern_target" ? "binding" : roleIn(parent.type, field),
  )
}

/**
 * Types of nodes in which every direct child identifier is a reference. In other types, only identifiers in the fields
 * below are references.
 */
const USES: ReadonlySet<string> = new Set(
  "argument_list assert_statement await binary_operator boolean_operator comparison_operator conditional_expression decorator dictionary_splat except_clause expression_list generator_expression interpolation list list_comprehension list_splat not_operator pair parenthesized_expression raise_statement return_statement set set_comprehension subscript tuple unary_operator yield".split(
    " ",
  ),
)
const FIELDS = new Map(
  Object.entries({
    assignment: "right",
    attribute: "object",
    augmented_assignment: "right",
    call: "function",
    default_parameter: "value",
    for_in_clause: "right",
    for_statement: "right",
    if_statement: "condition",
    keyword_argument: "value",
    lambda: "body",
    typed_default_parameter: "value",
    while_statement: "condition",
    with_item: "value",
  }),
)

function roleIn(parent: string, field: string | null): NameRole {
  if (USES.has(parent) || (field !== null && FIELDS.get(parent) === field)) return "use"
  // The name belongs to an attribute, an argument or a type.
  return parent === "attribute" || parent === "type" || (parent === "keyword_argument" && field === "name")
    ? "other"
    : "binding"
}
