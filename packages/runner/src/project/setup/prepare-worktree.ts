import { rm } from "node:fs/promises"
import { join, normalize } from "node:path/posix"
import type { NewEvent } from "@switchyard/core/events"
import { namedWorktree } from "@switchyard/core/files/worktrees/names-schema"
import { defaultSetup, WorktreeSetup } from "@switchyard/core/files/worktrees/setup-schema"
import { withoutSlashes } from "@switchyard/core/text/trim"
import * as z from "zod"
import { readIfExists, writeAtomically } from "../../files/atomic-json.ts"
import type { Git } from "../../git/plumbing/git.ts"
import { copyFromCheckout } from "./copy-files.ts"
import type { CachedPlace, DependencyCache } from "./dependency-cache.ts"
import { linkDependencies } from "./link-dependencies.ts"
import { type PortLeases, portVariables } from "./port-leases.ts"

export interface Unprepared {
  /** Name of the worktree within the session. */
  worktree: string
  git: Git
  user: CachedPlace["user"]
  /** Folder where agents work. */
  tree: string
  /** Prefix of the runner's records of the worktree. */
  notes: string
  /** Checkout on this machine that the worktree belongs to. Null for a clone, or for a session's own files. */
  checkout: string | null
  /** Current settings. A worktree that was already prepared keeps the settings from its preparation. */
  setup: (WorktreeSetup & { cache_key: string }) | undefined
}

export interface PrepareDeps {
  leases: PortLeases
  cacheOf: (key: string) => DependencyCache
  append: (events: NewEvent[]) => Promise<void>
  /** Runs the set-up command. Throws if it fails. */
  runSetup: (command: string, prepared: Prepared, env: Record<string, string>) => Promise<void>
}

/** Settings and results of a worktree's preparation. */
const Prepared = z.object({
  setup: WorktreeSetup.extend({ cache_key: z.string().optional() }),
  checkout: z.string().nullable(),
  ports: z.array(z.int()),
  /** Folders in the checkout that links in the worktree point to. */
  linked: z.array(z.string()),
  /** Identifies the prepared folder. A restored folder contains none of the ignored files, so it is prepared again. */
  folder: z.string(),
  /** True if the set-up command succeeded. */
  isReady: z.boolean(),
})
export type Prepared = z.infer<typeof Prepared>

const file = (notes: string) => `${notes}.setup.json`

/**
 * Returns the record of a worktree's preparation. Returns undefined if there is none. `notes` is the prefix of the
 * worktree's records.
 */
export async function findPrepared(notes: string): Promise<Prepared | undefined> {
  const text = await readIfExists(file(notes))
  return text === undefined ? undefined : Prepared.parse(JSON.parse(text))
}

export async function forgetPrepared(notes: string): Promise<void> {
  await rm(file(notes), { force: true })
}

/** Returns the environment variables for programs in a prepared worktree. */
export function variablesOf({ ports, checkout }: Pick<Prepared, "ports" | "checkout">): Record<string, string> {
  return { ...portVariables(ports), ...(checkout !== null && { SWITCHYARD_CHECKOUT: checkout }) }
}

/** Returns the folders outside the worktree that programs in it must be able to read. */
export function neededBy({ checkout, linked }: Pick<Prepared, "checkout" | "linked">): string[] {
  return checkout === null ? [] : linked.map((path) => join(checkout, path))
}

/**
 * Prepares a new worktree: copies the checkout's files, links or restores dependencies, and leases ports. Then runs the
 * repository's set-up command. A worktree is prepared once. If the preparation is interrupted, it starts over.
 */
export async function prepareWorktree(
  deps: PrepareDeps,
  about: Unprepared,
  options: { signal: AbortSignal },
): Promise<Prepared> {
  const { notes, checkout } = about
  const folder = await folderId(about)
  const before = await findPrepared(notes)
  if (before?.isReady && before.folder === folder) return before
  const setup = about.setup ?? defaultSetup
  const noted: Prepared = { setup, checkout, folder, ports: [], linked: [], isReady: false }
  // Write the record first, because the ports count as leased as long as this file exists.
  await writeAtomically(file(notes), noted)
  const ports = setup.ports > 0 ? await deps.leases.lease(notes, setup.ports, options) : []
  await writeAtomically(file(notes), { ...noted, ports })
  const brought = await bringFiles(about, setup, options)
  const restored = await restoreCached(deps, about, options)
  await deps.append([{ type: "worktree_prepared", ...namedWorktree(about.worktree), ...brought, restored, ports }])
  const prepared = { ...noted, ports, linked: brought.linked }
  if (setup.setup !== "") {
    const isHit = setup.cache.length > 0 && restored.length === setup.cache.length
    await deps.runSetup(setup.setup, prepared, { ...variablesOf(prepared), SWITCHYARD_CACHE: isHit ? "hit" : "miss" })
  }
  await keepCached(deps, about, options)
  await writeAtomically(file(notes), { ...prepared, isReady: true })
  return { ...prepared, isReady: true }
}

async function folderId({ git, tree }: Pick<Unprepared, "git" | "tree">): Promise<string> {
  const found = await git.files.stat(tree)
  return found ? [found.dev, found.ino, found.birthtimeNs].join(" ") : ""
}

/** Copies and links files from the checkout. Skips files that git doesn't ignore, because they would be committed. */
async function bringFiles({ git, tree, checkout }: Unprepared, setup: WorktreeSetup, options: { signal: AbortSignal }) {
  const brought = { copied: [] as string[], linked: [] as string[], skipped: [] as string[] }
  if (checkout === null) return brought
  const { files } = git
  for (const path of setup.copy.map(plain)) {
    if (!(await files.lstat(`${checkout}/${path}`))) continue
    if (!(await isIgnored(git, tree, path, options))) brought.skipped.push(path)
    else if (await copyFromCheckout(files, { checkout, tree, path })) brought.copied.push(path)
  }
  for (const path of setup.link.map(plain)) {
    if ((await files.lstat(`${checkout}/${path}`))?.kind !== "folder") continue
    if (!(await isIgnored(git, tree, `${path}/`, options))) brought.skipped.push(path)
    else if (await linkDependencies({ files, checkout, tree, path })) brought.linked.push(path)
  }
  return brought
}

/** Removes a leading `./` and trailing `/`, as git does. */
function plain(path: string): string {
  return withoutSlashes(normalize(path))
}

async function isIgnored(git: Git, tree: string, path: string, { signal }: { signal: AbortSignal }): Promise<boolean> {
  // `check-ignore` doesn't support literal pathspecs.
  const env = { GIT_LITERAL_PATHSPECS: "0" }
  const { code } = await git(["check-ignore", "--quiet", "--", `./${path}`], { cwd: tree, env, signal, accept: [1] })
  return code === 0
}

async function restoreCached(
  { cacheOf }: PrepareDeps,
  { git, user, tree, setup }: Unprepared,
  options: { signal: AbortSignal },
): Promise<string[]> {
  if (!setup) return []
  const cache = cacheOf(setup.cache_key)
  const restored: string[] = []
  for (const path of setup.cache.map(plain)) {
    if (await cache.restore({ files: git.files, user, tree, path }, options)) restored.push(path)
  }
  return restored
}

async function keepCached(
  { cacheOf }: PrepareDeps,
  { git, user, tree, setup }: Unprepared,
  options: { signal: AbortSignal },
): Promise<void> {
  if (!setup) return
  const cache = cacheOf(setup.cache_key)
  for (const path of setup.cache.map(plain)) await cache.keep({ files: git.files, user, tree, path }, options)
}
