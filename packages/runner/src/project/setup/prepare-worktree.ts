import { glob, rm } from "node:fs/promises"
import { join, normalize } from "node:path/posix"
import type { NewEvent } from "@switchyard/core/events"
import { namedWorktree } from "@switchyard/core/files/worktrees/names-schema"
import { combineSetups } from "@switchyard/core/files/worktrees/repository-setup"
import {
  type PreparedTools,
  type RepositorySetup,
  SetupTools,
} from "@switchyard/core/files/worktrees/repository-setup-schema"
import { defaultSetup, WorktreeSetup } from "@switchyard/core/files/worktrees/setup-schema"
import { parseJson } from "@switchyard/core/text/parse-json"
import { withoutSlashes } from "@switchyard/core/text/trim"
import * as z from "zod"
import { readIfExists, writeAtomically } from "../../files/atomic-json.ts"
import type { Git } from "../../git/plumbing/git.ts"
import { ProjectTools } from "../../programs/project-tools.ts"
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
  /** Returns the set-up that the repository names. Some or all of it is missing if the owner hasn't consented to it. */
  repositorySetup: () => Promise<{ setup?: RepositorySetup | undefined; isDenied: boolean }>
  /** Installs tools for the owner's worktrees of the repository. Undefined if the machine's own have to do. */
  installTools: (tools: SetupTools) => Promise<ProjectTools | undefined>
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
  /** True if the owner hadn't consented to some or all of the set-up that the repository names, so it wasn't used. */
  isDenied: z.boolean().optional(),
  /** True if an agent may have worked here before the set-up, so the files aren't the result of the set-up alone. */
  isTouched: z.boolean().optional(),
  /** Tools that the repository's set-up file or version files name. */
  tools: SetupTools.default({}),
  /** The tools, if they were installed. */
  installed: ProjectTools.optional(),
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

/**
 * Returns the folders of the tools of all worktrees on this machine. `records` is the folder that contains the records
 * of each session.
 */
export async function toolsInUse(records: string): Promise<string[]> {
  const notes = await Array.fromAsync(glob(file("*/*"), { cwd: records }))
  const texts = await Promise.all(notes.map((note) => readIfExists(join(records, note))))
  const found = texts.map((text) => Prepared.safeParse(parseJson(text ?? "")).data?.installed?.folder)
  return found.filter((folder) => folder !== undefined)
}

export async function forgetPrepared(notes: string): Promise<void> {
  await rm(file(notes), { force: true })
}

/** Returns the environment variables for programs in a prepared worktree. */
export function variablesOf({
  ports,
  checkout,
  installed,
}: Pick<Prepared, "ports" | "checkout" | "installed">): Record<string, string> {
  const tools = installed?.variables
  return { ...tools, ...portVariables(ports), ...(checkout !== null && { SWITCHYARD_CHECKOUT: checkout }) }
}

/** Returns the folders outside the worktree that programs in it must be able to read. */
export function neededBy({
  checkout,
  linked,
  installed,
}: Pick<Prepared, "checkout" | "linked" | "installed">): string[] {
  const links = checkout === null ? [] : linked.map((path) => join(checkout, path))
  return installed ? [...links, installed.folder] : links
}

/**
 * Prepares a new worktree: copies the checkout's files, links or restores dependencies, installs tools and leases ports.
 * Then runs the set-up command. A worktree is prepared once. If the owner consents to the repository's set-up later, the
 * worktree is prepared again if the file's command is used, and otherwise only gets the tools. If the preparation is
 * interrupted, it starts over.
 */
export async function prepareWorktree(
  deps: PrepareDeps,
  about: Unprepared,
  options: { signal: AbortSignal },
): Promise<Prepared> {
  const { notes, checkout } = about
  const folder = await folderId(about)
  const found = await findPrepared(notes)
  const before = found?.folder === folder ? found : undefined
  if (before?.isReady && !before.isDenied) return before.installed ? withTools(deps, before) : before
  const { setup: used, isDenied } = await deps.repositorySetup()
  const own = (before?.isReady ? before.setup : about.setup) ?? defaultSetup
  const setup = used ? combineSetups(own, used) : own
  const tools = used?.tools ?? {}
  if (before?.isReady && setup.setup === own.setup) {
    return isDenied ? before : addTools(deps, about, { ...before, tools })
  }
  const linked = before?.linked ?? []
  const isTouched = before?.isReady || before?.isTouched
  const noted: Prepared = { setup, checkout, folder, ports: [], linked, isReady: false, isDenied, isTouched, tools }
  // Write the record first, because the ports count as leased as long as this file exists.
  await writeAtomically(file(notes), noted)
  const ports = setup.ports > 0 ? await deps.leases.lease(notes, setup.ports, options) : []
  await writeAtomically(file(notes), { ...noted, ports })
  const brought = await bringFiles(about, setup, options)
  const made = madeBy({ setup, tools })
  const restored = await restoreCached(deps, about, { setup, made }, options)
  const told = { ...namedWorktree(about.worktree), ...brought, restored, ports, ...loggedTools(about, tools) }
  await deps.append([{ type: "worktree_prepared", ...told }])
  // Links from an earlier, interrupted preparation are still there, and aren't brought again.
  const prepared = await withTools(deps, { ...noted, ports, linked: [...new Set([...linked, ...brought.linked])] })
  await writeAtomically(file(notes), prepared)
  if (setup.setup !== "") {
    const isHit = setup.cache.length > 0 && restored.length === setup.cache.length
    await deps.runSetup(setup.setup, prepared, { ...variablesOf(prepared), SWITCHYARD_CACHE: isHit ? "hit" : "miss" })
  }
  if (!isTouched) await keepCached(deps, about, { setup, made }, options)
  await writeAtomically(file(notes), { ...prepared, isReady: true })
  return { ...prepared, isReady: true }
}

/**
 * Installs the tools for a worktree that is ready otherwise. The set-up command doesn't run again, because it may fail
 * if its results exist.
 */
async function addTools(deps: PrepareDeps, about: Unprepared, before: Prepared): Promise<Prepared> {
  const prepared = await withTools(deps, { ...before, isDenied: false })
  const brought = { copied: [], linked: [], restored: [], skipped: [], ports: before.ports }
  const told = { ...namedWorktree(about.worktree), ...brought, ...loggedTools(about, before.tools) }
  await deps.append([{ type: "worktree_prepared", ...told }])
  await writeAtomically(file(about.notes), prepared)
  return prepared
}

/** Returns the tools for the log, so that later containers of the session can install them. */
function loggedTools({ setup }: Unprepared, versions: SetupTools): { tools?: PreparedTools } {
  return setup && Object.keys(versions).length > 0 ? { tools: { versions, cache_key: setup.cache_key } } : {}
}

/** Installs the tools, unless they are there. Other branches' tools may have replaced them since the last task. */
async function withTools({ installTools }: PrepareDeps, prepared: Prepared): Promise<Prepared> {
  if (Object.keys(prepared.tools).length === 0) return prepared
  return { ...prepared, installed: await installTools(prepared.tools) }
}

/** Identifies what makes the cached folders, so that another command or other tools don't use them. */
function madeBy({ setup, tools }: { setup: WorktreeSetup; tools: SetupTools }): string {
  return JSON.stringify([setup.setup, Object.entries(tools).sort()])
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
  { git, user, tree, setup: own }: Unprepared,
  { setup, made }: { setup: WorktreeSetup; made: string },
  options: { signal: AbortSignal },
): Promise<string[]> {
  if (!own) return []
  const cache = cacheOf(own.cache_key)
  const restored: string[] = []
  for (const path of setup.cache.map(plain)) {
    if (await cache.restore({ files: git.files, user, tree, path, made }, options)) restored.push(path)
  }
  return restored
}

async function keepCached(
  { cacheOf }: PrepareDeps,
  { git, user, tree, setup: own }: Unprepared,
  { setup, made }: { setup: WorktreeSetup; made: string },
  options: { signal: AbortSignal },
): Promise<void> {
  if (!own) return
  const cache = cacheOf(own.cache_key)
  for (const path of setup.cache.map(plain)) await cache.keep({ files: git.files, user, tree, path, made }, options)
}
