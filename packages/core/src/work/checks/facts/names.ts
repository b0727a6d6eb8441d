import type { Tree } from "web-tree-sitter"

/** A name used in a file. */
export interface NameUse {
  name: string
  line: number
}

/** Names in a file by role, without regard to scopes. */
export interface Names {
  /** Every name that the file defines or may define. */
  bound: ReadonlySet<string>
  /** First use of each name that the file uses but doesn't define. */
  unbound: NameUse[]
}

/** Role of one occurrence of a name: a use, a possible definition, or anything else, such as a property. */
export type NameRole = "use" | "binding" | "other"

/** Type of a node, and the field of its parent that contains it. */
interface Around {
  type: string
  field: string | null
}

interface Named extends Around {
  name: string
}

/** Collects the names in a tree. Names are the texts of nodes of the given kinds. */
export function readNames(
  { rootNode }: Tree,
  kinds: ReadonlySet<string>,
  roleOf: (node: Named, parent: Around, grandparent: Around) => NameRole,
): Names {
  const bound = new Set<string>()
  const uses = new Map<string, number>()
  const cursor = rootNode.walk()
  const around: Around[] = [{ type: "", field: null }]
  try {
    for (;;) {
      const node = { type: cursor.nodeType, field: cursor.currentFieldName }
      const [parent = node, grandparent = node] = [around.at(-1), around.at(-2)]
      if (kinds.has(node.type)) {
        const name = cursor.nodeText
        const role = roleOf({ ...node, name }, parent, grandparent)
        if (role === "binding") bound.add(name)
        else if (role === "use" && !uses.has(name)) uses.set(name, cursor.startPosition.row + 1)
      }
      if (cursor.gotoFirstChild()) {
        around.push(node)
        continue
      }
      while (!cursor.gotoNextSibling()) {
        if (!cursor.gotoParent()) return namesOf(bound, uses)
        around.pop()
      }
    }
  } finally {
    cursor.delete()
  }
}

function namesOf(bound: Set<string>, uses: Map<string, number>): Names {
  const unbound = [...uses].filter(([name]) => !bound.has(name)).map(([name, line]) => ({ name, line }))
  return { bound, unbound }
}
