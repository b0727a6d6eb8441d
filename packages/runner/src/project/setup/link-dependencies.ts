import { join } from "node:path"
import type { Files } from "../../files/files.ts"

/** A dependency folder in a checkout, and its path in a worktree. */
export interface LinkedFolder {
  files: Files
  checkout: string
  tree: string
  /** Path of the folder, relative to the checkout and to the worktree. */
  path: string
}

/**
 * Rules for linking the entries of a folder. They are matched against relative paths. Folders without such rules are
 * linked as a whole.
 */
interface Kind {
  expands: RegExp
  skips: RegExp
  /** Text files that contain the checkout's path, which is replaced with the worktree's path. */
  rewrites: RegExp
}

const NODE_MODULES: Kind = {
  expands: /^(@[^/]+|\.bin)$/,
  // Skips files that tools write next to packages, and npm's own record of the installation.
  skips: /^\.(cache|vite|vitest|package-lock\.json)$/,
  rewrites: /(?!)/,
}

const SITE = String.raw`lib/python[\d.]+/site-packages`
const VIRTUAL_ENVIRONMENT: Kind = {
  expands: new RegExp(`^(bin|lib|lib/python[\\d.]+|${SITE})$`),
  skips: /(^|\/)__pycache__$/,
  rewrites: new RegExp(`^(bin/[^/]+|${SITE}/[^/]+\\.(pth|egg-link)|${SITE}/__editable__[^/]+\\.py)$`),
}

const MAX_TEXT_BYTES = 256 * 1024

/**
 * Creates a folder that contains links to the checkout's entries. Later installs then don't change the checkout, and
 * programs find the project's own code in the worktree. Returns true if the checkout contains such a folder.
 */
export async function linkDependencies({ files, checkout, tree, path }: LinkedFolder): Promise<boolean> {
  const [from, to] = [join(checkout, path), join(tree, path)]
  const [source, target] = await Promise.all([files.lstat(from), files.lstat(to)])
  if (source?.kind !== "folder" || target) return false
  const kind = (await files.exists(join(from, "pyvenv.cfg"))) ? VIRTUAL_ENVIRONMENT : NODE_MODULES

  async function linkEntries(within: string): Promise<void> {
    await files.makeFolder(join(to, within))
    for (const { name, kind: entry } of await files.list(join(from, within))) {
      const inner = join(within, name.toString())
      if (kind.skips.test(inner)) continue
      if (entry === "folder" && kind.expands.test(inner)) await linkEntries(inner)
      else if (entry === "folder") await files.symlink(join(from, inner), join(to, inner))
      else if (entry === "file" && kind.rewrites.test(inner)) await rewrite(inner)
      else if (entry !== "other") await files.copy(join(from, inner), join(to, inner))
    }
  }

  async function rewrite(inner: string): Promise<void> {
    const found = await files.stat(join(from, inner))
    const text = found && found.size <= MAX_TEXT_BYTES ? await files.readText(join(from, inner)) : undefined
    if (!found || text === undefined || !text.includes(checkout)) {
      return files.copy(join(from, inner), join(to, inner))
    }
    await files.create(join(to, inner), found.mode, Buffer.from(text.replaceAll(checkout, tree)))
  }

  await linkEntries("")
  return true
}
