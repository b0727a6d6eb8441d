import type { Tree } from "web-tree-sitter"

/** A name that a file uses. */
export interface NameUse {
  name: string
  line: number
}

/** The names in a file, by what they stand for there, whatever the scope. */
export interface Names {
  /** Every name that the file gives to something, or that stands where it may. */
  bound: ReadonlySet<string>
  /** The first use of each name that the file only uses. */
  unbound: NameUse[]
}

/** The part of a name where it stands: it is used, it may be made there, or it is of something else, as a property's is. */
export type Place = "use" | "binding" | "other"

/** The kinds of the parts of a tree around a name, the innermost first, with the fields of their parents that they are. */
interface Around {
  type: string
  field: string | null
}

interface Named extends Around {
  name: string
}

/** Reads the names of a tree, each being the text of a node of one of the given kinds. */
export function readNames(
  { rootNode }: Tree,
  kinds: ReadonlySet<string>,
  placeOf: (node: Named, parent: Around, grandparent: Around) => Place,
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
        const place = placeOf({ ...node, name }, parent, grandparent)
        if (place === "binding") bound.add(name)
        else if (place === "use" && !uses.has(name)) uses.set(name, cursor.startPosition.row + 1)
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
