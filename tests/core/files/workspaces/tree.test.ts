import { TreeNode } from "@switchyard/core/files/workspaces/schema"
import { treeNodes } from "@switchyard/core/files/workspaces/tree"
import { toFolder } from "@switchyard/core/files/workspaces/tree-model"
import { expect, it } from "vitest"
import { manifestOf } from "./trees.ts"

it("shows folders first, then names whatever their case", () => {
  const nodes = treeNodes(
    toFolder(manifestOf({ b: "12", B: "1", a: "", "Z/y": "123", "c/": "", "c2/D/x": "", Äpfel: "" })),
  )
  expect(nodes).toEqual([
    { name: "c", path: "c", type: "directory", children: [] },
    {
      name: "c2",
      path: "c2",
      type: "directory",
      children: [
        {
          name: "D",
          path: "c2/D",
          type: "directory",
          children: [{ name: "x", path: "c2/D/x", type: "file", size: 0 }],
        },
      ],
    },
    { name: "Z", path: "Z", type: "directory", children: [{ name: "y", path: "Z/y", type: "file", size: 3 }] },
    { name: "a", path: "a", type: "file", size: 0 },
    { name: "B", path: "B", type: "file", size: 1 },
    { name: "b", path: "b", type: "file", size: 2 },
    { name: "Äpfel", path: "Äpfel", type: "file", size: 0 },
  ])
  expect(nodes.map((node) => TreeNode.parse(node))).toEqual(nodes)
})
