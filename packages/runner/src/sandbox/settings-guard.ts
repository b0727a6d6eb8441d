import { randomUUID } from "node:crypto"
import { rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { GIT_FOLDER_MARKS } from "@switchyard/core/files/start-files"
import type { Clock } from "@switchyard/core/time"
import * as z from "zod"
import { readIfExists, writeAtomically } from "../files/atomic-json.ts"
import { withRepository } from "../git/plumbing/repository-lock.ts"
import { isRunning, ownProcess, ProcessIdentity } from "../processes/process-identity.ts"
import type { Confinement } from "./confinement.ts"
import { type AgentWorktree, agentGitFolder } from "./git-sandbox.ts"
import {
  addedSettings,
  addSettings,
  isOfModule,
  readSettings,
  type Setting,
  shownSettings,
  sortSettings,
} from "./git-settings.ts"
import { VIEW_SETTINGS } from "./git-view.ts"
import { ProgramFiles, readProgramFiles, restoreProgramFiles } from "./program-files.ts"
import { agentRefs } from "./view-refs.ts"

interface Options {
  signal: AbortSignal
}

interface GuardedWorktree extends AgentWorktree {
  clock: Clock
  repository: AgentWorktree["repository"] & { journals: string }
}

/** A repository's settings before the first of its current unsandboxed agents started. */
const Guarded = z.object({
  turns: z.array(z.object({ id: z.string(), process: ProcessIdentity })),
  files: ProgramFiles,
})
type Guarded = z.infer<typeof Guarded>

/** Protects the settings of a user's repository during an agent's turn. */
export interface SettingsGuard {
  /** Ends the turn. Returns a warning if there is something to report. */
  settle(): Promise<string | undefined>
}

/**
 * Protects the settings of a user's repository that make git start programs. If an agent left such a setting, git would
 * start the program the next time the user runs git. In a bubblewrap sandbox, agents have their own settings.
 * Otherwise, the settings are restored after the turn.
 */
export async function guardSettings(
  worktree: GuardedWorktree,
  { means }: Pick<Confinement, "means">,
  options: Options,
): Promise<SettingsGuard> {
  if (means === "bubblewrap") return { settle: () => shownOfView(worktree) }
  const id = randomUUID()
  await locked(worktree, options, () => beginTurn(worktree, id, options))
  return {
    settle: () =>
      locked(worktree, { signal: AbortSignal.timeout(SETTLE_WITHIN_MS) }, (own) => endTurn(worktree, id, own)),
  }
}

const SETTLE_WITHIN_MS = 60_000

/** Describes an agent's settings and hooks that apply only in the agent's own worktree. */
async function shownOfView(worktree: AgentWorktree): Promise<string | undefined> {
  const { git, repository } = worktree
  const view = agentGitFolder(worktree)
  const added = await agentSettings(worktree, { signal: AbortSignal.timeout(SETTLE_WITHIN_MS) })
  const [own, theirs] = await Promise.all(
    [view, repository.commonDir].map((folder) => readProgramFiles(git.files, folder)),
  )
  const files = Object.keys(own ?? {}).filter(
    (path) => /^(?:hooks|info)\//.test(path) && own?.[path]?.base64 !== theirs?.[path]?.base64,
  )
  const { others } = sortSettings(added)
  const refs = worktree.isOwn ? [] : await agentRefs(git.files, view)
  const what = "The agent's git settings, hooks, branches and tags apply only in its worktree and are removed with it"
  return shownSettings(what, others, [...files, ...refs])
}

/** Returns the settings that an agent has added in its private git folder. */
export async function agentSettings(worktree: AgentWorktree, options: Options) {
  const { git, repository } = worktree
  const read = (folder: string) => readSettings(git, folder, options)
  const [before, after] = await Promise.all([repository.commonDir, agentGitFolder(worktree)].map(read))
  return addedSettings([...(before ?? []), ...VIEW_SETTINGS], after ?? [])
}

/** Adds an agent's harmless settings to the repository: remotes, and the remote branches that local branches track. */
export async function carrySettings(
  { git, repository }: AgentWorktree,
  settings: Setting[],
  options: Options,
): Promise<void> {
  await addSettings(git, repository.folder, sortSettings(settings).harmless, options)
}

async function beginTurn(worktree: GuardedWorktree, id: string, { signal }: Options): Promise<void> {
  const { git, repository } = worktree
  const found = await readGuarded(worktree)
  const turns = await living(found)
  // The runner of the previous turn died before it restored the settings files.
  if (found && turns.length === 0) await putBack(worktree, found, { signal })
  const files = found && turns.length > 0 ? found.files : await readProgramFiles(git.files, repository.commonDir)
  const turn = { id, process: await ownProcess() }
  await writeAtomically(fileOf(worktree), { turns: [...turns, turn], files } satisfies Guarded)
}

async function endTurn(worktree: GuardedWorktree, id: string, options: Options): Promise<string | undefined> {
  const { git, repository } = worktree
  const found = await readGuarded(worktree)
  if (!found) return undefined
  const shown = await putBack(worktree, found, options)
  const turns = (await living(found)).filter((turn) => turn.id !== id)
  if (turns.length === 0) await rm(fileOf(worktree), { force: true })
  else {
    const files = await readProgramFiles(git.files, repository.commonDir)
    await writeAtomically(fileOf(worktree), { turns, files } satisfies Guarded)
  }
  return shown
}

/** Restores the files, then adds new settings unless they start programs. */
async function putBack(worktree: GuardedWorktree, { files }: Guarded, options: Options): Promise<string | undefined> {
  const { git, repository } = worktree
  const { commonDir } = repository
  // Usually, the agent has changed nothing, so git needn't read the settings.
  if (isDeepStrictEqual(await readProgramFiles(git.files, commonDir), files)) return undefined
  const after = await readSettings(git, commonDir, options)
  const ofNew = await cleanNewModules(worktree, files, options)
  const changed = await restoreProgramFiles(git.files, commonDir, files)
  if (changed.length === 0 && ofNew.length === 0) return undefined
  const added = addedSettings(await readSettings(git, commonDir, options), after)
  await carrySettings(worktree, added, options)
  const dropped = [...sortSettings(added).others, ...ofNew]
  const others = changed.filter((path) => path !== "config" && !GIT_FOLDER_MARKS.includes(path))
  return shownSettings(
    "Git settings and hooks were removed from the repository after the agent's turn",
    dropped,
    others,
  )
}

/** Removes settings that start programs from submodules that were added during the turn. */
async function cleanNewModules({ git, repository }: GuardedWorktree, before: ProgramFiles, options: Options) {
  const { folder, commonDir } = repository
  const now = await readProgramFiles(git.files, commonDir)
  const isNew = (path: string) => /^modules\/.*\/config$/.test(path) && !(path in before)
  const removed: Setting[] = []
  for (const path of Object.keys(now).filter(isNew)) {
    const file = join(commonDir, path)
    const settings = await readSettings(git, dirname(file), options)
    const dropped = sortSettings(settings).others.filter((setting) => !isOfModule(setting))
    for (const key of new Set(dropped.map((setting) => setting.key))) {
      await git(["config", "--file", file, "--unset-all", key], { cwd: folder, accept: [5], ...options })
    }
    removed.push(...dropped)
  }
  return removed
}

const fileOf = ({ repository }: GuardedWorktree) => join(repository.journals, "settings.json")

async function readGuarded(worktree: GuardedWorktree): Promise<Guarded | undefined> {
  const text = await readIfExists(fileOf(worktree))
  return text === undefined ? undefined : Guarded.parse(JSON.parse(text))
}

async function living(guarded: Guarded | undefined): Promise<Guarded["turns"]> {
  const turns = guarded?.turns ?? []
  const isAlive = await Promise.all(turns.map(({ process }) => isRunning(process)))
  return turns.filter((_, index) => isAlive[index])
}

function locked<T>(
  { repository, clock }: GuardedWorktree,
  options: Options,
  task: (options: Options) => Promise<T>,
): Promise<T> {
  return withRepository(
    { journals: repository.journals, clock, patienceMs: SETTLE_WITHIN_MS },
    () => task(options),
    options,
  )
}
