import { spawn } from "node:child_process"
import { createHash, randomUUID } from "node:crypto"
import { mkdir, open, readdir, rename, rm, stat, utimes } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import type { Files } from "../../files/files.ts"
import type { AgentUser } from "../../processes/agent-user.ts"
import type { Archives } from "./archives.ts"

/**
 * Cache for the dependency folders of a repository's worktrees. The cache key is derived from the set-up, lockfiles and
 * manifests.
 */
export interface DependencyCache {
  /** Restores a missing folder. Returns false if it isn't in the cache. */
  restore(place: CachedPlace, options: { signal: AbortSignal }): Promise<boolean>
  /**
   * Adds a folder to the cache unless the cache already contains it. Returns false if the folder is missing or too
   * large.
   */
  keep(place: CachedPlace, options: { signal: AbortSignal }): Promise<boolean>
}

export interface CachedPlace {
  files: Files
  /** User of the worktree, if different from the runner's user. Only this user accesses the worktree's files. */
  user: AgentUser | undefined
  tree: string
  path: string
  /** Identifies the set-up command and the tools that make the folder. */
  made: string
}

const LOCKFILES = [
  ...["package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb"],
  ...["uv.lock", "poetry.lock", "Pipfile.lock", "pdm.lock", "requirements.txt", "Gemfile.lock", "composer.lock"],
  ...["Cargo.lock", "go.sum", "mix.lock"],
]
/** Files whose scripts and settings can change what is installed for the same lockfile. */
const MANIFESTS = [
  ...["package.json", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", "pnpm-workspace.yaml", "bunfig.toml"],
  ...["pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "uv.toml", "poetry.toml", "Gemfile", "composer.json"],
  ...["Cargo.toml", "build.rs", "go.mod", "mix.exs"],
]
/**
 * Maximum number of archives per repository. One archive isn't enough, because people alternate between branches with
 * different dependencies.
 */
const KEPT = 4
const MAX_BYTES = 4 * 1024 ** 3

/**
 * Creates a cache in a folder that belongs to the runner. `path` is the search path for `tar`. With `archives`, the cache
 * also uses what other machines have stored.
 */
export function createDependencyCache(
  folder: string,
  { path: PATH, archives }: { path: string; archives?: Archives | undefined },
): DependencyCache {
  /**
   * Returns the path of the archive for the worktree's set-up, lockfiles and manifests. Returns undefined if there is
   * no lockfile.
   */
  async function archiveOf({ files, tree, path, made }: CachedPlace): Promise<string | undefined> {
    const hash = createHash("sha256").update(
      [process.platform, process.arch, process.versions.modules, made, path, archives?.system].join("\0"),
    )
    let isLocked = false
    for (const place of new Set(["", dirname(path)])) {
      for (const name of [...LOCKFILES, ...MANIFESTS]) {
        const bytes = await files.readRegular(Buffer.from(join(tree, place, name))).catch(() => undefined)
        if (!bytes) continue
        isLocked ||= LOCKFILES.includes(name)
        hash.update(`\0${place}/${name}\0`).update(bytes)
      }
    }
    return isLocked ? join(folder, `${hash.digest("hex")}.tar`) : undefined
  }

  return {
    async restore(place, { signal }) {
      const archive = await archiveOf(place)
      if (!archive || (await place.files.lstat(join(place.tree, place.path)))) return false
      if (archives && !(await stat(archive).catch(() => undefined))) await bring(archives, archive, { signal })
      const opened = await open(archive).catch(() => undefined)
      if (!opened) return false
      await using file = opened
      // Extract only this folder, because the archive's creator could have added other files.
      const isWhole = await runTar(PATH, ["-xf", "-", "--", place.path], place, { input: file.fd, signal })
      if (!isWhole) await place.files.remove(join(place.tree, place.path))
      const now = new Date()
      await utimes(archive, now, now).catch(() => undefined)
      return isWhole
    },
    async keep(place, { signal }) {
      const archive = await archiveOf(place)
      const found = await place.files.lstat(join(place.tree, place.path))
      if (!archive || found?.kind !== "folder") return false
      if (await stat(archive).catch(() => undefined)) return true
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const fresh = `${archive}-${randomUUID()}`
      try {
        await using file = await open(fresh, "wx", 0o600)
        const isWhole = await runTar(PATH, ["-cf", "-", "--", place.path], place, { output: file.fd, signal })
        if (!isWhole || (await file.stat()).size > MAX_BYTES) return false
        await rename(fresh, archive)
        void archives?.keep(nameOf(archive), archive)
      } finally {
        await rm(fresh, { force: true })
      }
      await forgetOldest(folder)
      return true
    },
  }
}

const nameOf = (archive: string) => basename(archive, ".tar")

/** Downloads an archive, if another machine has stored it. */
async function bring(archives: Archives, archive: string, options: { signal: AbortSignal }): Promise<void> {
  await mkdir(dirname(archive), { recursive: true, mode: 0o700 })
  const fresh = `${archive}-${randomUUID()}`
  try {
    if (await archives.fetch(nameOf(archive), fresh, options)) await rename(fresh, archive)
  } finally {
    await rm(fresh, { force: true })
  }
}

/**
 * Runs `tar` in the worktree as the worktree's user. Passes a file opened by the runner, because that user couldn't
 * open it.
 */
export function runTar(
  PATH: string,
  args: string[],
  { tree, user }: Pick<CachedPlace, "tree" | "user">,
  { input, output, signal }: { input?: number; output?: number; signal: AbortSignal },
): Promise<boolean> {
  const child = spawn("tar", args, {
    cwd: tree,
    env: { PATH },
    signal,
    stdio: [input ?? "ignore", output ?? "ignore", "ignore"],
    ...(user && { uid: user.uid, gid: user.gid }),
  })
  return new Promise((resolve) => {
    child.once("error", () => resolve(false))
    child.once("exit", (code) => resolve(code === 0))
  })
}

async function forgetOldest(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".tar"))
  const archives = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })),
  )
  const old = archives.sort((a, b) => b.at - a.at).slice(KEPT)
  for (const { name } of old) await rm(join(folder, name), { force: true })
}
