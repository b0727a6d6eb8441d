/**
 * Declares only css-tree's parser. The library's own declarations cover the whole package, including a dictionary of
 * all properties.
 */
declare module "css-tree/parser" {
  export interface CssNode {
    type: string
    loc: { start: { line: number } }
    /** Text of a `Raw` node. */
    value?: string | CssNode
    property?: string
    prelude?: CssNode | null
    block?: CssNode | null
    children?: Iterable<CssNode>
  }
  // biome-ignore lint/style/noDefaultExport: it is how the library exports it
  export default function parse(text: string, options: { positions: true }): CssNode
}
