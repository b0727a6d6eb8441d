import { createHash } from "node:crypto"
import type { FileEntry, Manifest, StoredChange } from "@switchyard/core/files/workspaces/manifest"
import { workspacePath } from "@switchyard/core/files/workspaces/path"

/**
 * A tree as `{ "src/a.ts": "its text", "empty folder/": "" }`. Manifests contain hashes, and `texts` maps them back.
 */
type Listing = Record<string, string>

export const shaOf = (text: string) => createHash("sha256").update(text).digest("hex")

const texts = new Map<string, string>()

export function fileOf(text: string): FileEntry {
  texts.set(shaOf(text), text)
  return { sha256: shaOf(text), size: text.length, mode: 0o644, binary: false }
}

export function manifestOf(tree: Listing): Manifest {
  const paths = Object.keys(tree).sort()
  return {
    files: paths
      .filter((path) => !path.endsWith("/"))
      .map((path) => ({ path: workspacePath(path), ...fileOf(tree[path] ?? "") })),
    folders: paths.filter((path) => path.endsWith("/")).map((path) => workspacePath(path.slice(0, -1))),
  }
}

export function listing({ files, folders }: Manifest): Listing {
  return Object.fromEntries([
    ...files.map(({ path, sha256 }) => [path, texts.get(sha256)]),
    ...folders.map((path) => [`${path}/`, ""]),
  ])
}

export function write(path: string, text: string, expected?: string | null): StoredChange {
  const ifSha256 = expected == null ? expected : shaOf(expected)
  return { op: "write", path: workspacePath(path), file: { ...fileOf(text), mode: undefined }, ifSha256 }
}

export const deletion = (path: string, recursive?: boolean): StoredChange => ({
  op: "delete",
  path: workspacePath(path),
  recursive,
})

export const rename = (from: string, to: string, overwrite?: boolean): StoredChange => ({
  op: "rename",
  fromPath: workspacePath(from),
  path: workspacePath(to),
  overwrite,
})

export const folder = (path: string): StoredChange => ({ op: "make_folder", path: workspacePath(path) })
