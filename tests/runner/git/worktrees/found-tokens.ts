import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { askGit } from "../repositories.ts"

const TOKEN = /TOKEN-\d+-/gi

const tokensOf = (bytes: Buffer) =>
  bytes
    .toString("latin1")
    .match(TOKEN)
    ?.map((each) => each.toUpperCase()) ?? []

const INDEX = "--indexed-objects"
const ALL = ["--reflog", INDEX, "--ignore-missing"]

/** Returns the contents that a repository's refs reach. `more` extends the arguments of `git rev-list`. */
async function inRepository(gitDir: string, more: string[] = []): Promise<string[]> {
  const env = { GIT_DIR: gitDir, GIT_WORK_TREE: gitDir }
  // Only the reflog has all entries of the stash.
  const stash = await askGit(gitDir, ["log", "-g", "--format=%H", "refs/stash", "--"], { env }).catch(() => "")
  const tips = `${stash}`.split("\n").filter(Boolean)
  // Exclude saves: the agent itself replaced the contents that only an older save has.
  const refs = ["--exclude=refs/worktree/switchyard-saved", "--all"]
  const listed = await askGit(gitDir, ["rev-list", "--objects", ...refs, ...more, ...tips], { env })
  const ids = listed
    .toString("latin1")
    .split("\n")
    .map((line) => line.slice(0, 40))
  const input = Buffer.from(ids.filter((id) => /^[0-9a-f]{40}$/.test(id)).join("\n"))
  return tokensOf(await askGit(gitDir, ["cat-file", "--batch", "--buffer"], { env, input }))
}

/** Returns the git folders in and below a folder, and all files outside them. */
async function walk(folder: string, prefix = ""): Promise<{ gitDirs: string[]; files: string[] }> {
  const found = { gitDirs: [] as string[], files: [] as string[] }
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const place = join(folder, entry.name)
    const path = `${prefix}${entry.name}`
    if (entry.name === ".git") found.gitDirs.push(entry.isDirectory() ? place : await linked(folder, place))
    else if (entry.isFile()) found.files.push(path)
    else if (entry.isDirectory()) {
      const below = await walk(place, `${path}/`)
      found.gitDirs.push(...below.gitDirs)
      found.files.push(...below.files)
    }
  }
  return found
}

async function linked(folder: string, place: string): Promise<string> {
  const text = await readFile(place, "utf8")
  return join(text.startsWith("gitdir: /") ? "" : folder, text.slice("gitdir: ".length).replace(/\n$/, ""))
}

/**
 * Returns the contents that must survive a worktree's removal: files that git doesn't ignore, and all objects of its
 * repositories.
 */
export async function tokensIn(tree: string): Promise<Set<string>> {
  const { gitDirs, files } = await walk(tree)
  // In ignored folders, only commits are kept.
  const isIgnored = (gitDir: string) => gitDir.startsWith(join(tree, "ignored/"))
  const moreOf = (gitDir: string) => ALL.filter((each) => each !== INDEX || !isIgnored(gitDir))
  const known = await Promise.all(gitDirs.map((gitDir) => inRepository(gitDir, moreOf(gitDir))))
  return new Set([...(await inFiles(tree, files, ["ignored/"])), ...known.flat()])
}

async function inFiles(tree: string, files: string[], without: string[]): Promise<string[]> {
  const counted = files.filter((path) => !without.some((folder) => path.startsWith(folder)))
  return (await Promise.all(counted.map((path) => readFile(join(tree, path))))).flatMap(tokensOf)
}

/** Returns the contents that the refs of a repository and of its submodules reach. */
export async function tokensKept(repo: string): Promise<Set<string>> {
  const gitDirs = [join(repo, ".git"), ...(await modulesIn(join(repo, ".git/modules")))]
  return new Set((await Promise.all(gitDirs.map((gitDir) => inRepository(gitDir)))).flat())
}

async function modulesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  if (entries.some(({ name }) => name === "HEAD")) return [folder, ...(await modulesIn(join(folder, "modules")))]
  return (await Promise.all(entries.map(({ name }) => modulesIn(join(folder, name))))).flat()
}
