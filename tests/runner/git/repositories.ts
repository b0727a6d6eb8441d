import { isUtf8 } from "node:buffer"
import { execFileSync } from "node:child_process"
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { buffer, text } from "node:stream/consumers"
import { taskBranch } from "@switchyard/core/files/worktrees/names"
import { systemClock } from "@switchyard/core/time"
import { ownFiles } from "@switchyard/runner/files/files"
import { createWorktrees } from "@switchyard/runner/git/git-worktrees"
import { createGit } from "@switchyard/runner/git/plumbing/create-git"
import type { Git, GitOptions } from "@switchyard/runner/git/plumbing/git"
import { startProgram } from "@switchyard/runner/processes/spawner"
import { never } from "../../settings.ts"

export const signal = never
export const PATH = process.env.PATH ?? ""

/** Git's environment in tests: no configuration, one identity and a fixed time. */
const plainEnv = {
  PATH,
  HOME: "/nonexistent",
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "Test",
  GIT_AUTHOR_EMAIL: "test@example.org",
  GIT_COMMITTER_NAME: "Test",
  GIT_COMMITTER_EMAIL: "test@example.org",
  GIT_AUTHOR_DATE: "1700000000 +0000",
  GIT_COMMITTER_DATE: "1700000000 +0000",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_ALLOW_PROTOCOL: "file",
}

/** Runs plain git, independently of the product, and returns its output. Tests take the output as the reference. */
export function plainGit(cwd: string, ...args: string[]): string {
  return plainGitBytes(cwd, ...args)
    .toString()
    .trim()
}

function plainGitBytes(cwd: string, ...args: string[]): Buffer {
  return execFileSync("git", args, { cwd, env: plainEnv, maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"] })
}

export function plainGitInput(cwd: string, input: string | Buffer, ...args: string[]): Buffer {
  return execFileSync("git", args, { cwd, env: plainEnv, input, maxBuffer: 1 << 28 })
}

/** Like `plainGit`, but asynchronous. An exit code of 1 is an answer, and a higher one throws. */
export async function askGit(
  cwd: string,
  args: string[],
  given: { input?: Buffer; env?: Record<string, string> } = {},
): Promise<Buffer> {
  const git = await startProgram("git", args, { cwd, env: { ...plainEnv, ...given.env } })
  git.stdin.on("error", () => {}).end(given.input)
  const [stdout, stderr, { code }] = await Promise.all([buffer(git.stdout), text(git.stderr), git.exited])
  if (code !== 0 && code !== 1) throw new Error(`git ${args.join(" ")}: ${stderr}`)
  return stdout
}

/** Files by path: text, a symbolic link (`link`), an executable file (`run`), or null to delete the file. */
export type Files = Record<string, string | Buffer | { run: string } | { link: string } | null>

export async function write(folder: string, files: Files): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const place = join(folder, path)
    await rm(place, { recursive: true, force: true })
    if (content === null) continue
    await mkdir(dirname(place), { recursive: true })
    if (typeof content === "object" && "link" in content) {
      await symlink(content.link, place)
    } else {
      const runs = typeof content === "object" && "run" in content
      await writeFile(place, runs ? content.run : content)
      await chmod(place, runs ? 0o755 : 0o644)
    }
  }
}

export function commit(folder: string, message = "change"): string {
  plainGit(folder, "add", "--all", "--force")
  plainGit(folder, "commit", "--quiet", "--allow-empty", "--message", message)
  return plainGit(folder, "rev-parse", "HEAD")
}

/**
 * Creates a temporary folder with a repository `repo`, whose `main` contains these files. Disposing removes the folder.
 */
export async function newRepository(files: Files = { "a.txt": "one\ntwo\nthree\n" }) {
  const folder = await mkdtemp(join(tmpdir(), "git-"))
  const repo = join(folder, "repo")
  await mkdir(repo)
  plainGit(repo, "init", "--quiet", "--initial-branch=main")
  await write(repo, files)
  commit(repo, "base")
  return {
    folder,
    repo,
    open: (sessionId = "s1", options: Partial<GitOptions> = {}) =>
      open(repo, join(folder, "data", sessionId), sessionId, options),
    tree: (sessionId = "s1") => join(folder, "data", sessionId, "tree"),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

export const ourGit = (options: Partial<GitOptions> = {}) =>
  createGit({ env: { PATH, HOME: "/nonexistent" }, ...options })

/** Returns a git that answers calls with `call` and accesses files as the test's user. */
export const asGit = (call: (...given: Parameters<Git>) => ReturnType<Git>): Git =>
  Object.assign(call, { files: ownFiles, isShared: false })

export function open(repository: string, folder: string, sessionId: string, options: Partial<GitOptions> = {}) {
  const branch = taskBranch(sessionId)
  return createWorktrees(
    { ...placed(folder), git: ourGit(options), clock: systemClock, repository, branch },
    { signal },
  )
}

/** Returns the locations of a worktree's files, and of the runner's notes and journals about it. */
export const placed = (folder: string) => ({ folder, notes: `${folder}-notes`, journals: join(folder, "../journals") })

/**
 * Returns the kind and content of each file in a folder, by path, except `.git`. Contents, and paths that aren't UTF-8,
 * have one character per byte.
 */
export async function filesIn(folder: string | Buffer, prefix = ""): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const entry of await readdir(folder, { withFileTypes: true, encoding: "buffer" })) {
    const path = prefix + (isUtf8(entry.name) ? entry.name.toString() : entry.name.toString("latin1"))
    if (path === ".git") continue
    const place = Buffer.concat([Buffer.from(folder), Buffer.from("/"), entry.name])
    if (entry.isDirectory()) Object.assign(found, { [`${path}/`]: "" }, await filesIn(place, `${path}/`))
    else found[path] = await describe(place)
  }
  return found
}

async function describe(place: Buffer): Promise<string> {
  const stat = await lstat(place)
  if (stat.isSymbolicLink()) return `link ${await readlink(place)}`
  return `${stat.mode & 0o100 ? "run" : "file"} ${(await readFile(place)).toString("latin1")}`
}

/** Returns the names of files that the product left behind in a repository. Tests expect none. */
export async function leftovers(repo: string): Promise<string[]> {
  const git = join(repo, ".git")
  const names = (await readdir(git, { recursive: true })).filter((name) =>
    /\.lock$|^switchyard\/.|switchyard-/.test(name),
  )
  const here = (await readdir(repo)).filter((name) => name.startsWith(".switchyard"))
  return [...names, ...here]
}
