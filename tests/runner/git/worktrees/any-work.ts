import { mkdir, rm } from "node:fs/promises"
import { join } from "node:path"
import type { Random } from "../../../faults/random.ts"
import { askGit, commit, newRepository, plainGit, signal, write } from "../repositories.ts"

const FILE = ["-c", "protocol.file.allow=always"]
const NAMES = ["plain", "-x", "trailing ", 'quo"te', "new\nline", "emoji 🚂", "*", ":(top)y", "back\\slash", "dir/ü"]

/** A worktree of a generated repository, and what its agent may do in it. */
export interface Scene {
  at: Awaited<ReturnType<typeof newRepository>>
  worktrees: Awaited<ReturnType<Awaited<ReturnType<typeof newRepository>>["open"]>>
  tree: string
  /** The submodule's origin, if there is one. */
  lib: string | undefined
  /** Marks each content, so that it can be found again. */
  token(): string
}

/** Makes a repository with any of a submodule, a filter, links and odd names, and a worktree of it. */
export async function newScene(random: Random): Promise<Scene> {
  const at = await newRepository({
    "a.txt": "one\ntwo\nthree\n",
    "in/b.txt": "b\n",
    ".gitignore": "ignored/\n",
    ...(random.next() < 0.3 && { [random.pick(NAMES)]: "odd\n", link: { link: "a.txt" } }),
    ...(random.next() < 0.2 && { ".gitattributes": "*.up filter=up\n" }),
  })
  plainGit(at.repo, "config", "filter.up.clean", "tr a-z A-Z")
  plainGit(at.repo, "config", "filter.up.smudge", "cat")
  plainGit(at.repo, "config", "filter.up.required", "true")
  const lib = random.next() < 0.5 ? await addSubmodule(at.folder, at.repo) : undefined
  const worktrees = await at.open()
  await worktrees.create({}, { signal })
  const tree = at.tree()
  if (lib && random.next() < 0.8) plainGit(tree, ...FILE, "submodule", "--quiet", "update", "--init")
  if (random.next() < 0.15) plainGit(tree, "sparse-checkout", "set", "in")
  let count = 0
  return { at, worktrees, tree, lib, token: () => `TOKEN-${count++}-` }
}

async function addSubmodule(folder: string, repo: string): Promise<string> {
  const lib = join(folder, "lib-origin")
  await mkdir(lib)
  plainGit(lib, "init", "--quiet", "--initial-branch=main")
  await write(lib, { "lib.txt": "one\n" })
  commit(lib, "begin")
  plainGit(repo, ...FILE, "submodule", "--quiet", "add", "--name", "the/lib", lib, "lib")
  commit(repo, "with a submodule")
  return lib
}

/** Has an agent do some of these things. What git refuses isn't done. */
export async function actAtRandom(scene: Scene, random: Random): Promise<string[]> {
  const done: string[] = []
  for (let left = random.between(1, 6); left > 0; left--) {
    const [name, act] = random.pick(Object.entries(ACTIONS))
    await act(scene, random)
    done.push(name)
  }
  return done
}

const tryGit = (cwd: string, ...args: string[]) => askGit(cwd, args).catch(() => undefined)

async function commitAll(folder: string): Promise<void> {
  await tryGit(folder, "add", "--all")
  await tryGit(folder, "commit", "--quiet", "-m", "an agent's")
}

/** Makes a repository in a folder, with a commit, staged versions, a stash and files that aren't committed, or none of them. */
async function nest(folder: string, { token }: Scene, random: Random): Promise<void> {
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
  if (random.next() < 0.2) await nest(join(folder, "deeper"), { token } as Scene, random)
}

/** Changes a line on two branches. */
async function diverge({ tree, token }: Scene): Promise<void> {
  await tryGit(tree, "checkout", "--quiet", "-b", `side-${token()}`)
  await write(tree, { "a.txt": `one\n${token()}\nthree\n` })
  await commitAll(tree)
  await tryGit(tree, "checkout", "--quiet", "switchyard/s1")
  await write(tree, { "a.txt": `one\n${token()}\nthree\n` })
  await commitAll(tree)
}

const lastSide = async (tree: string) =>
  `${(await askGit(tree, ["for-each-ref", "--format=%(refname:short)", "refs/heads/side-*"])).toString().split("\n")[0]}`

type Act = (scene: Scene, random: Random) => Promise<unknown>

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
  commit: ({ tree }) => commitAll(tree),
  amend: ({ tree }) => tryGit(tree, "commit", "--quiet", "--amend", "--all", "-m", "amended"),
  "commit in the submodule": async ({ tree, lib, token }) => {
    if (!lib) return
    await write(tree, { "lib/lib.txt": token() })
    if ((await tryGit(tree, "-C", "lib", "rev-parse", "--show-toplevel"))?.toString().endsWith("lib\n"))
      await commitAll(join(tree, "lib"))
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
