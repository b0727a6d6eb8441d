import type { Node } from "web-tree-sitter"

/** Yields the nodes around a node, innermost first. */
export function* ancestorsOf(node: Node): Generator<Node> {
  for (let around = node.parent; around; around = around.parent) yield around
}
