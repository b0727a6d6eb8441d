import { createHash } from "node:crypto"
import { lstat, mkdir, mkdtemp, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { isAppError } from "@switchyard/core/errors"
import { parseDiff } from "@switchyard/core/files/worktrees/diff"
import type { DiffFile } from "@switchyard/core/files/worktrees/diff-schema"
import { parseRawDiff } from "@switchyard/core/files/worktrees/raw-diff"
import { systemClock } from "@switchyard/core/time"
import { finishMerge, makeMerge } from "@switchyard/runner/git/merge/merge-engine"
import { resolve } from "@switchyard/runner/git/merge/resolve"
import { createKnownGit } from "@switchyard/runner/git/plumbing/known-git"
import { openRepository } from "@switchyard/runner/git/plumbing/repository"
import { unmergedIn } from "@switchyard/runner/git/worktrees/unmerged"
import { filesWithHunks } from "@switchyard/runner/git/worktrees/work-diff"
import { dropPending, type Pending, type Worktree } from "@switchyard/runner/git/worktrees/worktree-record"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { seeded } from "../../faults/random.ts"
import { needs } from "../../needs.ts"
import { cases } from "../../settings.ts"
import { type Generated, generate, gitVersion, store, type Tree } from "./generated.ts"
import { askGit, filesIn, leftovers, ourGit, placed, signal } from "./repositories.ts"

const REPOSITORIES = cases({ usual: 8, deep: 200 })
const AT_ONCE = 3

let folder = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "git-property-"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const missing = gitVersion() < 2038 ? "git is older than 2.38, and can't merge without a worktree" : undefined

describe("generated repositories", needs(missing), () => {
  it("are read, merged and left alone as git itself would have it", async () => {
    const seen: Record<string, number> = {}
    const seeds = Array.from({ length: REPOSITORIES }, (_, index) => index)
    const work = async () => {
      for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
        try {
          for (const what of await tryOut(seed)) seen[what] = (seen[what] ?? 0) + 1
        } catch (error) {
          seeds.length = 0
          throw new Error(`seed ${seed}`, { cause: error })
        }
      }
    }
    const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, work))
    for (const end of ended) if (end.status === "rejected") throw end.reason
    // The generator must produce each kind often enough.
    for (const what of ["renamed", "mode", "binary", "no newline", "submodule", "type change", "not UTF-8"]) {
      expect(seen[what], what).toBeGreaterThan(REPOSITORIES / 20)
    }
    for (const what of ["clean", "conflicts", "blocked", "came along", "elsewhere"]) {
      expect(seen[what], what).toBeGreaterThan(REPOSITORIES / 10)
    }
  })
})

async function tryOut(seed: number): Promise<string[]> {
  const random = seeded(seed + 1_000_000)
  const repo = join(folder, `${seed}`, "repo")
  const generated = generate(seed)
  await store(repo, generated)
  const read = await checkDiff(repo, seed, generated)
  const merged = await checkMerge(repo, random)
  await rm(dirname(repo), { recursive: true, force: true })
  return [...read, ...merged]
}

const text = (bytes: string) => Buffer.from(bytes, "latin1").toString()

/** Checks the diff from `base` to the session's branch against the generated trees. */
async function checkDiff(repo: string, seed: number, { base, theirs }: Generated): Promise<string[]> {
  const range = ["base", "switchyard/s1"]
  const raw = await askGit(repo, ["diff-tree", "-r", "--raw", "--numstat", "-z", "--full-index", "-M", ...range])
  const [from = "", to = ""] = range
  const files = await filesWithHunks(
    ourGit(),
    repo,
    { base: from, tree: to, entries: parseRawDiff(raw), alone: false },
    { signal },
  )
  checkFiles(files, base, theirs)
  expect(linesOf(files)).toEqual(await numstat(repo, ["-M", ...range]))

  const options = seeded(seed).pick([
    ["-U0"],
    ["-U1", "--no-renames"],
    ["-U99"],
    ["--binary"],
    ["-W"],
    ["-C", "-C"],
    ["--patience"],
  ])
  const patch = await askGit(repo, ["-c", "core.quotePath=off", "diff", "--no-color", "-M", ...options, ...range])
  const parsed = parseDiff(patch)
  checkFiles(joined(parsed), base, theirs)
  const kinds: [string, boolean][] = files.flatMap((file) => [
    ["renamed", file.is_renamed],
    ["mode", file.old_mode !== null && file.new_mode !== null && file.old_mode !== file.new_mode],
    ["binary", file.is_binary],
    ["submodule", file.is_submodule],
    ["type change", file.old_mode?.slice(0, 2) !== file.new_mode?.slice(0, 2) && !file.is_new && !file.is_deleted],
    ["not UTF-8", file.marks.includes("not_utf8")],
    ["no newline", file.hunks.some(({ lines }) => lines.some(({ type }) => type === "no_newline"))],
  ])
  return [...new Set(kinds.flatMap(([kind, is]) => (is ? [kind] : [])))]
}

/** Joins the two entries that git reports for a change of type. */
function joined(files: DiffFile[]): DiffFile[] {
  return [...Map.groupBy(files, ({ new_path }) => new_path).values()].map(([first, second]) => {
    if (!first) throw new Error("A group without a file.")
    if (!second) return first
    const hunks = [...first.hunks, ...second.hunks]
    return {
      ...first,
      is_deleted: false,
      is_binary: first.is_binary || second.is_binary,
      new_mode: second.new_mode,
      hunks,
    }
  })
}

/** Applies the diff to the old tree, and expects the new tree. */
function checkFiles(files: DiffFile[], before: Tree, after: Tree): void {
  const old = new Map([...before].map(([path, entry]) => [text(path), entry]))
  const wanted = new Map([...after].map(([path, entry]) => [text(path), entry]))
  const made = new Map(old)
  for (const { old_path, is_deleted, is_renamed } of files) if (is_deleted || is_renamed) made.delete(old_path)
  for (const file of files) {
    const { old_path, new_path, is_new, is_deleted, is_binary, old_mode, new_mode, hunks } = file
    const source = old.get(old_path)
    const target = wanted.get(new_path)
    expect([old_path, is_new], new_path).toEqual([old_path, source === undefined])
    if (old_mode !== null) expect(old_mode, old_path).toBe(source?.mode)
    if (is_deleted) {
      expect(target, new_path).toBeUndefined()
      if (!is_binary) expect(applied(source, hunks), new_path).toBe("")
      continue
    }
    if (!target) throw new Error(`There is no ${new_path}.`)
    if (new_mode !== null) expect(new_mode, new_path).toBe(target.mode)
    else expect(source?.mode, new_path).toBe(target.mode)
    if (!is_binary) expect(applied(is_new ? undefined : source, hunks), new_path).toBe(asShown(target))
    made.set(new_path, target)
  }
  expect(sorted(made)).toEqual(sorted(wanted))
}

const sorted = (tree: Tree) => [...tree].sort(([a], [b]) => (a < b ? -1 : 1))

/** Returns the content that git's diff shows: for a submodule, one line. */
function asShown(entry: { mode: string; content: string } | undefined): string {
  if (!entry) return ""
  return entry.mode === "160000" ? `Subproject commit ${entry.content}\n` : text(entry.content)
}

function applied(source: { mode: string; content: string } | undefined, hunks: DiffFile["hunks"]): string {
  const old = linesWithEnds(asShown(source))
  const made: string[] = []
  let at = 0
  for (const hunk of hunks) {
    // After a change of type, the second part starts with an empty file.
    const begin = hunk.old_count === 0 ? hunk.old_start : hunk.old_start - 1
    if (begin < at && hunk.old_count === 0) made.length = 0
    else while (at < begin) made.push(old[at++] ?? "")
    expect(hunk.lines.filter(({ old_line }) => old_line).length).toBe(hunk.old_count)
    expect(hunk.lines.filter(({ new_line }) => new_line).length).toBe(hunk.new_count)
    for (const [index, { type, content, old_line, new_line }] of hunk.lines.entries()) {
      if (type === "no_newline") continue
      const ends = hunk.lines[index + 1]?.type === "no_newline" ? content : `${content}\n`
      if (type !== "add") {
        expect(ends).toBe(old[at])
        expect(old_line).toBe(++at)
      }
      if (type !== "delete") {
        made.push(ends)
        expect(new_line).toBe(made.length)
      }
    }
  }
  return [...made, ...old.slice(at)].join("")
}

const linesWithEnds = (content: string) => content.match(/[^\n]*\n|[^\n]+$/g) ?? []

const linesOf = (files: DiffFile[]) =>
  files.map(({ additions, deletions, new_path }) => [additions, deletions, new_path])

async function numstat(repo: string, args: string[]): Promise<unknown[]> {
  const fields = (await askGit(repo, ["diff-tree", "-r", "--numstat", "-z", ...args])).toString("latin1").split("\0")
  const found: unknown[] = []
  while (fields.length > 1) {
    const [, added, deleted, path] = /^(\S+)\t(\S+)\t(.*)$/s.exec(fields.shift() ?? "") ?? []
    // A rename has its two paths in separate fields.
    const name = path || fields.splice(0, 2)[1] || ""
    found.push([added === "-" ? null : Number(added), deleted === "-" ? null : Number(deleted), text(name)])
  }
  return found
}

type Random = ReturnType<typeof seeded>

/** Merges the session's branch into `main`, which may or may not be checked out. */
async function checkMerge(repo: string, random: Random): Promise<string[]> {
  const session = join(dirname(repo), "session")
  await mkdir(session)
  const [ours = "", theirs = ""] = (await askGit(repo, ["rev-parse", "main", "switchyard/s1"]))
    .toString()
    .trim()
    .split("\n")
  const side = random.pick(["ours", "theirs"] as const)
  const expected = await oracle(repo, theirs, side)
  const names = await askGit(repo, ["diff-tree", "-r", "--name-only", "--no-renames", "-z", ours, expected.tree])
  const touched = new Set(names.toString("latin1").split("\0").slice(0, -1))
  const elsewhere = random.next() < 0.35
  await askGit(repo, ["checkout", "--quiet", "--force", elsewhere ? "other" : "main"])
  const findDirtyPaths = await makeWork(repo, random, touched, !elsewhere && random.next() < 0.45)
  const before = await stateOf(repo)

  const worktree = await placeOf(repo, session)
  const pending: Pending = { ...PENDING, ours, theirs }
  const { status, blocked } = await merge(worktree, pending, side, expected.stages)
  await dropPending(worktree, { signal })
  expect(await leftovers(repo)).toEqual([])
  const kind = expected.stages.length > 0 ? "conflicts" : "clean"
  const after = await stateOf(repo)
  if (touched.size === 0) {
    expect(status).toBe("nothing_to_merge")
    expect(after).toEqual(before)
    return [kind, "nothing"]
  }
  if (!elsewhere && findDirtyPaths.size > 0) {
    expect(blocked).toEqual([...findDirtyPaths].sort().map(text))
    expect(after).toEqual(before)
    return [kind, "blocked"]
  }
  expect([status, blocked]).toEqual(["merged", undefined])
  const [tree, parents] = (await askGit(repo, ["log", "-1", "--format=%T%n%P", "main"])).toString().trim().split("\n")
  expect([tree, parents]).toEqual([expected.tree, ours])
  expect({ ...after.refs, "heads/main": "" }).toEqual({ ...before.refs, "heads/main": "" })
  expect([after.head, after.status, after.staged]).toEqual([before.head, before.status, before.staged])
  if (elsewhere) {
    expect([after.files, after.index]).toEqual([before.files, before.index])
    return [kind, "elsewhere"]
  }
  const entries = await entriesOf(repo, expected.tree)
  await checkCheckout(repo, entries, touched)
  const named = new Set([...touched].flatMap((path) => [path, text(path)]))
  const untouched = ({ files }: typeof before) =>
    Object.entries(files).filter(([path]) => !named.has(path) && !path.endsWith("/"))
  expect(untouched(after)).toEqual(untouched(before))
  const wanted = new Set([...emptyFolders(before.files), ...entries.keys()].map(text))
  expect(emptyFolders(after.files).filter((path) => !wanted.has(path))).toEqual([])
  return [kind, "came along"]
}

function emptyFolders(files: Record<string, string>): string[] {
  const paths = Object.keys(files)
  const folders = paths.filter((path) => path.endsWith("/"))
  return folders
    .filter((path) => !paths.some((other) => other !== path && other.startsWith(path)))
    .map((path) => path.slice(0, -1))
}

const PENDING = {
  direction: "merge" as const,
  target_branch: "main",
  message: "Merged\n",
  strategy: "squash" as const,
  delete_worktree: false,
  notes: [],
  resolved: [],
  commit: null,
  run_hooks: false,
  allow_markers: true,
}

async function placeOf(repo: string, session: string): Promise<Worktree> {
  const git = ourGit()
  const found = await openRepository(git, repo, { signal })
  const { folder, notes, journals } = placed(session)
  const repository = { ...found, journals }
  const [tree, scratch] = [join(session, "tree"), join(session, "merge")]
  const folders = { folder, notes, tree, scratch }
  const known = createKnownGit()
  const about = { git, known, clock: systemClock, repository, branch: "switchyard/s1" }
  return { ...about, ...folders, isClone: false, isOwn: false }
}

/** Merges, and resolves each conflict with one side. */
async function merge(worktree: Worktree, pending: Pending, side: "ours" | "theirs", stages: string[]) {
  try {
    const first = await makeMerge(worktree, pending, { signal })
    if (first.status !== "conflicts") return { status: first.status }
    const found = [...(await unmergedIn(worktree, { signal }))].flatMap(([path, entries]) =>
      entries.flatMap((entry, index) => (entry ? [`${entry.mode} ${entry.blob} ${index + 1}\t${path}`] : [])),
    )
    expect(found.sort()).toEqual([...stages].sort())
    const resolved = await resolve(worktree, first.pending, { use: side, complete: false }, { signal })
    return { status: (await finishMerge(worktree, resolved, { signal }))?.status }
  } catch (error) {
    if (isAppError(error, "merge_blocked")) return { status: "blocked", blocked: error.details.files }
    throw error
  }
}

/**
 * Merges with git alone, without a checkout. Returns the tree, with one side for each conflict, and the conflicting
 * entries.
 */
async function oracle(repo: string, theirs: string, side: "ours" | "theirs") {
  const args = ["merge-tree", "--write-tree", "-z", "--no-messages", "HEAD", theirs]
  const answer = await askGit(repo, args)
  const [tree = "", ...stages] = answer.toString("latin1").split("\0").filter(Boolean)
  if (stages.length === 0) return { tree, stages }
  const wanted = side === "ours" ? "2" : "3"
  const paths = new Set(stages.map((stage) => stage.slice(stage.indexOf("\t") + 1)))
  const gone = [...paths].map((path) => `0 ${"0".repeat(40)}\t${path}\0`)
  const own = await entriesOf(repo, side === "ours" ? "HEAD" : theirs)
  const kept = stages.flatMap((stage) => {
    const [, entry, number, path = ""] = /^(\d+ [0-9a-f]+) (\d)\t(.*)$/s.exec(stage) ?? []
    // Prefer the side's own entry: if both sides renamed a file, git's entry may contain conflict markers.
    return number === wanted ? [`${own.get(path)?.replace(/ \w+ /, " ") ?? entry}\t${path}\0`] : []
  })
  const env = { GIT_INDEX_FILE: join(repo, "..", "oracle-index") }
  await askGit(repo, ["read-tree", tree], { env })
  const input = Buffer.from([...gone, ...kept].join(""), "latin1")
  await askGit(repo, ["update-index", "-z", "--index-info"], { env, input })
  return { tree: (await askGit(repo, ["write-tree"], { env })).toString().trim(), stages }
}

/** Leaves uncommitted work in the checkout. Resolves to those of its paths that the merge touches. */
async function makeWork(
  repo: string,
  random: Random,
  touched: Set<string>,
  findDirtyPaths: boolean,
): Promise<Set<string>> {
  const found = new Set<string>()
  const listed = (await askGit(repo, ["ls-files", "--stage", "-z"])).toString("latin1").split("\0").slice(0, -1)
  const tracked = listed.flatMap((field) => (field.startsWith("160000") ? [] : [field.slice(field.indexOf("\t") + 1)]))
  const usable = tracked.filter((path) => path !== ".gitattributes" && (findDirtyPaths || !touched.has(path)))
  const staged: string[] = []
  for (let count = random.between(0, 3); count > 0 && usable.length > 0; count--) {
    const path = random.pick(usable)
    await disturb(repo, path, random)
    if (random.next() < 0.4) staged.push(path)
    if (touched.has(path)) found.add(path)
  }
  const coming = [...touched].filter((path) => !tracked.includes(path))
  if (findDirtyPaths && coming.length > 0 && random.next() < 0.5) {
    const path = random.pick(coming)
    if (await writeAt(repo, path, "mine")) found.add(path)
  }
  if (staged.length > 0) {
    const input = Buffer.from(staged.map((path) => `${path}\0`).join(""), "latin1")
    await askGit(repo, ["update-index", "--add", "--remove", "-z", "--stdin"], { input })
  }
  await writeAt(repo, "my notes", "not committed\n")
  await writeAt(repo, "ignored", "kept to myself\n")
  await mkdir(join(repo, ".git/info"), { recursive: true })
  await writeFile(join(repo, ".git/info/exclude"), "/ignored\n")
  return found
}

const blobName = (bytes: Buffer) => createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex")

const at = (repo: string, path: string) => Buffer.from(`${Buffer.from(repo).toString("latin1")}/${path}`, "latin1")

async function disturb(repo: string, path: string, random: Random): Promise<void> {
  const worktree = at(repo, path)
  const stat = await lstat(worktree).catch(() => undefined)
  const action = random.next()
  await rm(worktree, { force: true })
  if (action < 0.2 || !stat) return
  if (action < 0.35) await symlink("mine", worktree)
  else await writeFile(worktree, `mine ${random.next()}\n`, { mode: action < 0.5 ? 0o755 : 0o644 })
}

/** Creates a file. Returns false if the path exists or a file blocks its folder. */
async function writeAt(repo: string, path: string, content: string): Promise<boolean> {
  const segments = path.split("/")
  const parent = at(repo, segments.slice(0, -1).join("/"))
  try {
    if (segments.length > 1) await mkdir(parent, { recursive: true })
    await writeFile(at(repo, path), content, { flag: "wx" })
    return true
  } catch {
    return false
  }
}

async function stateOf(repo: string) {
  const z = async (...args: string[]) => (await askGit(repo, args)).toString("latin1").split("\0")
  return {
    files: await filesIn(repo),
    index: (await readFile(join(repo, ".git/index"))).toString("latin1"),
    head: await readFile(join(repo, ".git/HEAD"), "utf8"),
    refs: await filesIn(join(repo, ".git/refs")),
    status: await z("status", "--porcelain", "-z", "--no-renames", "--ignored=matching", "--untracked-files=all"),
    staged: await z("diff-index", "--cached", "--raw", "-z", "HEAD"),
  }
}

/** Returns `mode type name` by path. */
async function entriesOf(repo: string, tree: string): Promise<Map<string, string>> {
  const listed = (await askGit(repo, ["ls-tree", "-r", "-z", tree])).toString("latin1").split("\0").slice(0, -1)
  return new Map(listed.map((each) => [each.slice(each.indexOf("\t") + 1), each.slice(0, each.indexOf("\t"))]))
}

/** Expects each touched path to have exactly the merged bytes and mode. */
async function checkCheckout(repo: string, entries: Map<string, string>, touched: Set<string>): Promise<void> {
  for (const path of touched) {
    const [mode, , blob = ""] = entries.get(path)?.split(" ") ?? []
    const stat = await lstat(at(repo, path)).catch(() => undefined)
    if (mode === undefined) expect(stat?.isDirectory() ?? true, path).toBe(true)
    else if (mode === "160000") expect(stat?.isDirectory(), path).toBe(true)
    else {
      const isLink = mode === "120000"
      expect(stat?.isSymbolicLink(), path).toBe(isLink)
      const worktree = at(repo, path)
      const found = isLink ? await readlink(worktree, { encoding: "buffer" }) : await readFile(worktree)
      // Depending on the attributes, `.eol` files end lines with CRLF in the checkout, but never in the repository.
      const asStored = Buffer.from(found.toString("latin1").replaceAll("\r\n", "\n"), "latin1")
      const same = path.endsWith(".eol") ? [found, asStored] : [found]
      expect(same.map(blobName), path).toContain(blob)
      if (!isLink) expect(((stat?.mode ?? 0) & 0o100) !== 0, path).toBe(mode === "100755")
    }
  }
}
