import type { Manifest } from "@switchyard/core/files/workspaces/manifest"
import type { WorkspacePath } from "@switchyard/core/files/workspaces/path"
import { toManifest } from "@switchyard/core/files/workspaces/tree-model"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  foldersAbove,
  idOf,
  indexTree,
  openFolders,
  ROOT_ID,
  type TreeIndex,
} from "../../../../../packages/web/src/features/files/tree/tree-index.ts"

const file = { sha256: "0".repeat(64), size: 1, mode: 0o644, binary: false }
const names = fc.constantFrom("a", "B", "c.txt", "__proto__", "constructor", "Ü", "toString")

/** Folders and files with any names, and their manifest. */
const manifests = fc
  .letrec<{ folder: Map<string, unknown>; node: unknown }>((tie) => ({
    folder: fc
      .array(fc.tuple(names, tie("node")), { maxLength: 5 })
      .map((entries) => new Map<string, unknown>(entries)),
    node: fc.oneof({ maxDepth: 3 }, fc.constant(file), tie("folder")),
  }))
  .folder.map((root) => toManifest(root as Parameters<typeof toManifest>[0]))

function manifestOf(...paths: string[]): Manifest {
  return { files: paths.map((path) => ({ path: path as WorkspacePath, ...file })), folders: [] }
}

/** Returns every row in the tree's order, with all folders open. */
function rows(index: TreeIndex, id = ROOT_ID): string[] {
  return (index.get(id)?.children ?? []).flatMap((child) => [child, ...rows(index, child)])
}

function paths(index: TreeIndex, kind: "file" | "folder"): string[] {
  return rows(index).flatMap((id) => {
    const entry = index.get(id)
    return entry?.kind === kind ? [entry.path] : []
  })
}

describe("the tree of a manifest", () => {
  it("has every file once, and every folder", () => {
    fc.assert(
      fc.property(manifests, (manifest) => {
        const index = indexTree(manifest)
        const files = manifest.files.map(({ path }) => path)
        const folders = new Set([
          ...files.flatMap(foldersAbove),
          ...manifest.folders.flatMap((path) => [...foldersAbove(path), path]),
        ])
        expect(paths(index, "file").sort()).toEqual([...files].sort())
        expect(paths(index, "folder").sort()).toEqual([...folders].sort())
        for (const path of files) expect(index.get(idOf(path))?.file?.path).toBe(path)
      }),
    )
  })

  it("counts the files in each folder", () => {
    fc.assert(
      fc.property(manifests, (manifest) => {
        for (const entry of indexTree(manifest).values()) {
          if (entry.kind !== "folder" || entry.path === "") continue
          const within = manifest.files.filter(({ path }) => path.startsWith(`${entry.path}/`))
          expect(entry.fileCount).toBe(within.length)
        }
      }),
    )
  })

  it("has folders first, then names whatever their case", () => {
    const index = indexTree(manifestOf("b.txt", "A.txt", "z/file", "Y/file"))
    expect(index.get(ROOT_ID)?.children).toEqual(["/Y", "/z", "/A.txt", "/b.txt"])
  })

  it("counts in names as people do", () => {
    const index = indexTree(manifestOf("v10/a", "v2/b", "file-10.ts", "file-9.ts", "file-2.ts"))
    expect(rows(index)).toEqual(["/v2", "/v2/b", "/v10", "/v10/a", "/file-2.ts", "/file-9.ts", "/file-10.ts"])
  })

  it("shows the file that is about to be, until it is there", () => {
    const pending = indexTree(manifestOf("a.txt"), ["src/new.js"])
    expect(pending.get("/src/new.js")).toMatchObject({ kind: "file", name: "new.js", file: undefined })
    expect(indexTree(manifestOf("a.txt", "src/new.js"), ["src/new.js"]).get("/src/new.js")?.file).toBeDefined()
  })

  it("takes any path that a plan may name, and loses nothing to it", () => {
    const odd = fc.constantFrom("a", "a/b", "B/c.txt", "", "/x", "../x", "c.txt/d", "__proto__/a")
    fc.assert(
      fc.property(manifests, odd, (manifest, writing) => {
        const files = paths(indexTree(manifest, [writing]), "file")
        expect(files).toEqual(expect.arrayContaining(manifest.files.map(({ path }) => path)))
        expect(files.length).toBeLessThanOrEqual(manifest.files.length + 1)
      }),
    )
  })
})

describe("folders", () => {
  const index = indexTree(manifestOf("src/deep/a.txt", "lib/b.txt"))

  it("are open in the root and closed below it", () => {
    expect(openFolders(index, new Map()).sort()).toEqual(["/lib", "/src"])
  })

  it("stay as they were left", () => {
    const left = new Map([
      ["src/deep", true],
      ["lib", false],
    ])
    expect(openFolders(index, left).sort()).toEqual(["/src", "/src/deep"])
  })
})
