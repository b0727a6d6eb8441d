import type { Node } from "web-tree-sitter"

/** Yields a node's ancestors, innermost first. */
export function* ancestorsOf(node: Node): Generator<Node> {
  for (let around = node.parent; around; around = around.parent) yield around
}
