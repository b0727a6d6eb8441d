import type { Grammar } from "./languages.ts"
import type { Member } from "./schema.ts"

type Kind = Member["kind"]

const JAVASCRIPT: Record<string, Kind> = {
  class_declaration: "class",
  function_declaration: "function",
  generator_function_declaration: "function",
  variable_declarator: "variable",
  assignment_expression: "variable",
  method_definition: "method",
  field_definition: "property",
  pair: "method",
}

const TYPESCRIPT: Record<string, Kind> = {
  ...JAVASCRIPT,
  abstract_class_declaration: "class",
  interface_declaration: "interface",
  type_alias_declaration: "type",
  enum_declaration: "enum",
  function_signature: "function",
  internal_module: "module",
  module: "module",
  abstract_method_signature: "method",
  method_signature: "method",
  property_signature: "property",
  public_field_definition: "property",
}

const C: Record<string, Kind> = {
  preproc_def: "macro",
  preproc_function_def: "macro",
  type_definition: "type",
  struct_specifier: "struct",
  union_specifier: "struct",
  enum_specifier: "enum",
  declaration: "variable",
  function_definition: "function",
  field_declaration: "property",
}

/** Types of declarations in each language, by node type. */
export const DECLARATIONS: Record<Exclude<Grammar, "html">, Record<string, Kind>> = {
  c: C,
  cpp: { ...C, class_specifier: "class", namespace_definition: "module", alias_declaration: "type" },
  csharp: {
    ...{ class_declaration: "class", record_declaration: "class", struct_declaration: "struct" },
    ...{ interface_declaration: "interface", enum_declaration: "enum", delegate_declaration: "type" },
    ...{ namespace_declaration: "module", file_scoped_namespace_declaration: "module" },
    ...{ method_declaration: "method", constructor_declaration: "method", operator_declaration: "method" },
    ...{ property_declaration: "property", field_declaration: "property", event_field_declaration: "property" },
  },
  css: {
    ...{ rule_set: "rule", media_statement: "rule", supports_statement: "rule", keyframes_statement: "rule" },
    at_rule: "rule",
  },
  go: {
    ...{ const_spec: "variable", var_spec: "variable", type_spec: "type", type_alias: "type" },
    ...{ function_declaration: "function", method_declaration: "method" },
    ...{ field_declaration: "property", method_elem: "method" },
  },
  java: {
    ...{ class_declaration: "class", record_declaration: "class", interface_declaration: "interface" },
    ...{ enum_declaration: "enum", annotation_type_declaration: "interface" },
    ...{ method_declaration: "method", constructor_declaration: "method", compact_constructor_declaration: "method" },
    ...{ field_declaration: "property", constant_declaration: "property" },
    annotation_type_element_declaration: "property",
  },
  javascript: JAVASCRIPT,
  php: {
    ...{ namespace_definition: "module", class_declaration: "class", interface_declaration: "interface" },
    ...{ trait_declaration: "trait", enum_declaration: "enum", function_definition: "function" },
    ...{ const_element: "variable", property_declaration: "property", method_declaration: "method" },
  },
  python: { class_definition: "class", function_definition: "function", assignment: "variable" },
  ruby: {
    ...{ module: "module", class: "class", method: "method", singleton_method: "method", assignment: "variable" },
  },
  rust: {
    ...{ struct_item: "struct", union_item: "struct", enum_item: "enum", trait_item: "trait", mod_item: "module" },
    ...{ impl_item: "implementation", function_item: "function", function_signature_item: "function" },
    ...{ const_item: "variable", static_item: "variable", type_item: "type", macro_definition: "macro" },
    field_declaration: "property",
  },
  tsx: TYPESCRIPT,
  typescript: TYPESCRIPT,
}

/** Types of wrapper nodes that people regard as part of the declaration, such as a keyword before the name. */
export const PREFIXES: ReadonlySet<string> = new Set([
  ...["export_statement", "ambient_declaration", "lexical_declaration", "variable_declaration"],
  ...["template_declaration", "const_declaration", "var_declaration", "type_declaration"],
])

/** Types of wrapper nodes that add nothing to the declaration inside them. Includes nodes that couldn't be parsed. */
export const SHELLS: ReadonlySet<string> = new Set([
  ...["ERROR", "expression_statement", "decorated_definition", "parenthesized_expression"],
  ...["preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "linkage_specification", "foreign_mod_item"],
  ...["declaration_list", "enum_body_declarations", "field_declaration_list"],
])

/** Kinds of declarations whose members are listed. */
export const WITH_MEMBERS: ReadonlySet<Kind> = new Set<Kind>([
  ...(["class", "interface", "struct", "trait", "implementation", "enum", "rule"] as const),
])

/**
 * Types of nodes for the body of a declaration. If the grammar has no field for the body, it is the last child with one
 * of these types.
 */
export const BODIES: ReadonlySet<string> = new Set([
  ...["block", "keyframe_block_list", "field_declaration_list", "accessor_list", "declaration_list"],
])

/** Types of nodes in front of a declaration that would hide its name in the signature. */
export const DECORATIONS: ReadonlySet<string> = new Set([
  ...["decorator", "attribute_list", "attribute_item", "annotation", "marker_annotation", "comment"],
])

/** Types of nodes for functions that are used as values. */
export const FUNCTIONS: ReadonlySet<string> = new Set(["arrow_function", "function_expression", "generator_function"])

/**
 * Types of nodes for names. If the grammar has no field for the name, it is the declaration's first node with one of
 * these types.
 */
export const NAMED: ReadonlySet<string> = new Set([
  ...["variable_declaration", "property_element", "name", "namespace_name", "selectors", "keyframes_name"],
  ...["feature_query", "at_keyword"],
])
