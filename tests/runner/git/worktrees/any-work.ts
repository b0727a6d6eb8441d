import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Random } from "../../../faults/random.ts"
import { askGit, commit, newRepository, open, plainGit, signal, write } from "../repositories.ts"

const FILE = ["-c", "protocol.file.allow=always"]
const NAMES = ["plain", "-x", "trailing ", 'quo"te', "new\nline", "emoji 🚂", "*", ":(top)y", "back\\slash", "dir/ü"]

/** A repository and its submodule's origin. Each scene copies them. */
export type Template = Awaited<ReturnType<typeof newTemplate>>

/** An agent's worktree. */
interface Actor {
  tree: string
  /** Origin of the submodule, if there is a submodule. */
  lib: string | undefined
  /** Returns a unique text. Each content has one, so that tests can find it. */
  token(): string
}

/** A worktree of a random repository. */
export interface Scene extends Actor {
  at: { folder: string; repo: string; [Symbol.asyncDispose](): Promise<void> }
  worktrees: Awaited<ReturnType<typeof open>>
}

/** Creates a repository with a filter and, on its branch `with-lib`, a submodule. */
export async function newTemplate() {
  const at = await newRepository({ "a.txt": "one\ntwo\nthree\n", "in/b.txt": "b\n", ".gitignore": "ignored/\n" })
  const settings = { clean: "tr a-z A-Z", smudge: "cat", required: "true" }
  for (const [name, value] of Object.entries(settings)) plainGit(at.repo, "config", `filter.up.${name}`, value)
  const lib = join(at.folder, "lib-origin")
  await mkdir(lib)
  plainGit(lib, "init", "--quiet", "--initial-branch=main")
  await write(lib, { "lib.txt": "one\n" })
  commit(lib, "begin")
  await cp(at.repo, join(at.folder, "plain"), { recursive: true })
  plainGit(at.repo, ...FILE, "submodule", "--quiet", "add", "--name", "the/lib", lib, "lib")
  plainGit(at.repo, "config", "--file", ".gitmodules", "submodule.the/lib.url", "../lib-origin")
  commit(at.repo, "with a submodule")
  return at
}

/** Creates a repository with a random choice of a submodule, a filter, links and odd names. */
export async function newRepositoryLike(template: Template, random: Random) {
  const folder = await mkdtemp(join(tmpdir(), "any-work-"))
  const repo = join(folder, "repo")
  const lib = random.next() < 0.5 ? join(folder, "lib-origin") : undefined
  await cp(join(template.folder, lib ? "repo" : "plain"), repo, { recursive: true })
  if (lib) {
    await cp(join(template.folder, "lib-origin"), lib, { recursive: true })
    for (const name of [".git/config", ".git/modules/the/lib/config"]) {
      const text = await readFile(join(repo, name), "utf8")
      await writeFile(join(repo, name), text.replaceAll(template.folder, folder))
    }
    // Some people clone without submodules.
    if (random.next() < 0.4) {
      await rm(join(repo, ".git/modules"), { recursive: true })
      await rm(join(repo, "lib"), { recursive: true })
      await mkdir(join(repo, "lib"))
    }
  }
  const isOdd = random.next() < 0.3
  const isFiltered = random.next() < 0.2
  await write(repo, {
    ...(isOdd && { [random.pick(NAMES)]: "odd\n", link: { link: "a.txt" } }),
    ...(isFiltered && { ".gitattributes": "*.up filter=up\n" }),
  })
  if (isOdd || isFiltered) {
    await askGit(repo, ["add", "--all"])
    await askGit(repo, ["commit", "--quiet", "--message", "more"])
  }
  return { folder, repo, lib, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

/** Creates a random repository and a worktree of it. */
export async function newScene(template: Template, random: Random): Promise<Scene> {
  const at = await newRepositoryLike(template, random)
  const data = join(at.folder, "data/s1")
  const worktrees = await open(at.repo, data, "s1")
  await worktrees.create({}, { signal })
  const tree = join(data, "tree")
  if (at.lib && random.next() < 0.8) await askGit(tree, [...FILE, "submodule", "--quiet", "update", "--init"])
  if (random.next() < 0.15) await askGit(tree, ["sparse-checkout", "set", "in"])
  return { at, worktrees, tree, lib: at.lib, token: newTokens() }
}

export function newTokens(prefix: number | string = "") {
  let count = 0
  return () => `TOKEN-${prefix}${`${count++}`.padStart(3, "0")}-`
}

/** Performs one to six random actions, and returns their names. An action that git refuses has no effect. */
export async function actAtRandom(scene: Actor, random: Random): Promise<string[]> {
  const done: string[] = []
  for (let left = random.between(1, 6); left > 0; left--) {
    const [name, act] = random.pick(Object.entries(ACTIONS))
    await act(scene, random)
    done.push(name)
  }
  return done
}

/** Aborts all open operations, so that the agent's work can be merged. */
export async function tidy({ tree }: Actor): Promise<void> {
  for (const operation of ["merge", "rebase", "cherry-pick", "revert"]) await tryGit(tree, operation, "--abort")
  await tryGit(tree, "bisect", "reset")
  await write(tree, { "b.txt": null })
}

const tryGit = (cwd: string, ...args: string[]) => askGit(cwd, args).catch(() => undefined)

async function commitAll(folder: string): Promise<void> {
  await tryGit(folder, "add", "--all")
  await tryGit(folder, "commit", "--quiet", "-m", "an agent's")
}

/** Creates a repository in a folder, with a random choice of a commit, a stash, and staged and uncommitted files. */
async function nest(folder: string, { token }: Pick<Actor, "token">, random: Random): Promise<void> {
  await mkdir(folder, { recursive: true })
  await tryGit(folder, "init", "--quiet", "--initial-branch=main")
  if (random.next() < 0.2) return
  await write(folder, { "nested.txt": token() })
  if (random.next() < 0.7) await commitAll(folder)
  if (random.next() < 0.3) {
    await write(folder, { "nested.txt": token() })
    await tryGit(folder, "stash")
  }
  if (random.next() < 0.3) {
    await write(folder, { "staged.txt": token() })
    await tryGit(folder, "add", "--all")
    await write(folder, { "staged.txt": token() })
  }
  if (random.next() < 0.2) await nest(join(folder, "deeper"), { token }, random)
}

/** Changes the same line on two branches. */
async function diverge({ tree, token }: Pick<Actor, "tree" | "token">, file = "a.txt"): Promise<void> {
  const before = (await tryGit(tree, "symbolic-ref", "--quiet", "--short", "HEAD"))?.toString().trim() || "--detach"
  await tryGit(tree, "checkout", "--quiet", "-b", `side-${token()}`)
  await write(tree, { [file]: `one\n${token()}\nthree\n` })
  await commitAll(tree)
  await tryGit(tree, "checkout", "--quiet", ...(before === "--detach" ? [before, "HEAD~1"] : [before]))
  await write(tree, { [file]: `one\n${token()}\nthree\n` })
  await commitAll(tree)
}

/** True if the submodule is checked out. Otherwise, git in its folder works on the repository around it. */
async function hasLib({ tree, lib }: Actor): Promise<boolean> {
  const top = lib && (await tryGit(tree, "-C", "lib", "rev-parse", "--show-toplevel"))
  return top?.toString().endsWith("/lib\n") ?? false
}

const lastSide = async (tree: string) =>
  `${(await askGit(tree, ["for-each-ref", "--format=%(refname:short)", "refs/heads/side-*"])).toString().split("\n")[0]}`

type Act = (scene: Actor, random: Random) => Promise<unknown>

const ACTIONS: Record<string, Act> = {
  write: ({ tree, token }, random) => write(tree, { [random.pick(NAMES)]: token() }),
  "write filtered": ({ tree, token }) => write(tree, { "f.up": token() }),
  "write ignored": ({ tree, token }) => write(tree, { "ignored/x": token() }),
  "write in a cone": ({ tree, token }) => write(tree, { "in/new": token(), "out/new": token() }),
  stage: async ({ tree, token }) => {
    await write(tree, { staged: token() })
    await tryGit(tree, "add", "--", "staged")
    await write(tree, { staged: token() })
  },
  "intend to add": async ({ tree, token }) => {
    await write(tree, { intended: token() })
    await tryGit(tree, "add", "--intent-to-add", "--", "intended")
  },
  "hide a change": async ({ tree, token }, random) => {
    const flag = random.pick(["--assume-unchanged", "--skip-worktree"])
    const files = await tryGit(tree, "update-index", flag, "--", "in/b.txt")
    if (files) await write(tree, { "in/b.txt": token() })
  },
  "write a conflict": async ({ tree, token }, random) => {
    await write(tree, { "b.txt": `<<<<<<< HEAD\n${token()}\n=======\n${token()}\n>>>>>>> other\n` })
    if (random.next() < 0.5) await commitAll(tree)
  },
  commit: ({ tree }) => commitAll(tree),
  amend: ({ tree }) => tryGit(tree, "commit", "--quiet", "--amend", "--all", "-m", "amended"),
  "commit in the submodule": async (scene) => {
    if (scene.lib) await write(scene.tree, { "lib/lib.txt": scene.token() })
    if (await hasLib(scene)) await commitAll(join(scene.tree, "lib"))
  },
  "stash in the submodule": async (scene) => {
    if (!(await hasLib(scene))) return
    await write(scene.tree, { "lib/lib.txt": scene.token() })
    await tryGit(join(scene.tree, "lib"), "stash")
  },
  "merge in the submodule": async (scene) => {
    if (!(await hasLib(scene))) return
    const lib = { tree: join(scene.tree, "lib"), token: scene.token }
    await diverge(lib, "lib.txt")
    await tryGit(lib.tree, "merge", await lastSide(lib.tree))
  },
  "add a submodule": async ({ tree, lib, token }) => {
    if (!lib) return
    await tryGit(tree, ...FILE, "submodule", "--quiet", "add", "--name", "second", lib, "more/lib")
    await write(tree, { "more/lib/lib.txt": token() })
    if ((await tryGit(tree, "-C", "more/lib", "rev-parse", "--show-toplevel"))?.toString().endsWith("/lib\n"))
      await commitAll(join(tree, "more/lib"))
  },
  "change the submodule": async ({ tree, lib, token }) => lib && write(tree, { "lib/new": token() }),
  "nest in the submodule": async (scene, random) => scene.lib && nest(join(scene.tree, "lib/nested"), scene, random),
  nest: (scene, random) => nest(join(scene.tree, `n/${random.pick(NAMES)}`), scene, random),
  "nest in an ignored folder": (scene, random) => nest(join(scene.tree, "ignored/nested"), scene, random),
  "nest in a folder of the repository": (scene, random) => nest(join(scene.tree, "in"), scene, random),
  "add a worktree": async ({ tree, token }, random) => {
    await tryGit(tree, "worktree", "add", "--quiet", ...random.pick([["--detach"], ["-b", "agents"]]), "linked")
    await write(tree, { "linked/new": token() })
    if (random.next() < 0.5) await commitAll(join(tree, "linked"))
    await write(tree, { "linked/newer": token() })
  },
  merge: async (scene, random) => {
    await diverge(scene)
    await tryGit(scene.tree, "merge", await lastSide(scene.tree))
    if (random.next() < 0.3) await tryGit(scene.tree, "merge", "--abort")
  },
  rebase: async (scene) => {
    await diverge(scene)
    await tryGit(scene.tree, "rebase", await lastSide(scene.tree))
  },
  "cherry-pick": async (scene) => {
    await diverge(scene)
    await tryGit(scene.tree, "cherry-pick", await lastSide(scene.tree))
  },
  revert: async (scene) => {
    await diverge(scene)
    await commitAll(scene.tree)
    await tryGit(scene.tree, "revert", "--no-edit", "HEAD~1")
  },
  orphan: ({ tree }) => tryGit(tree, "checkout", "--quiet", "--orphan", "agents-orphan"),
  bisect: async ({ tree }) => {
    await tryGit(tree, "bisect", "start", "HEAD", "HEAD~1")
  },
  stash: async ({ tree, token }) => {
    await write(tree, { "a.txt": token() })
    await tryGit(tree, "stash")
  },
  "switch branch": ({ tree }, random) =>
    tryGit(tree, "checkout", "--quiet", "-B", random.pick(["agents-1", "agents-2"])),
  detach: ({ tree }) => tryGit(tree, "checkout", "--quiet", "--detach"),
  reset: ({ tree }, random) => tryGit(tree, "reset", "--quiet", random.pick(["--hard", "--soft"]), "HEAD~1"),
  "delete files": ({ tree }, random) => rm(join(tree, random.pick(["a.txt", "in"])), { recursive: true, force: true }),
}
