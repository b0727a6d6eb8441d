import { randomUUID } from "node:crypto"
import { mkdir, readdir, rm } from "node:fs/promises"
import * as z from "zod"
import { readIfExists, writeAtomically } from "../../files/atomic-json.ts"
import type { Files } from "../../files/files.ts"
import { isRunning, ownProcess, ProcessIdentity } from "../../processes/process-identity.ts"
import { gitDirOf } from "../plumbing/snapshot.ts"
import { SwapEntry } from "./swap-files.ts"

/** Plan of an update, written before the checkout is changed. */
const Plan = z.object({
  process: ProcessIdentity,
  checkout: z.string(),
  branch: z.string(),
  from: z.string(),
  to: z.string(),
  /** True if the checkout is on a different file system from its repository. */
  isApart: z.boolean(),
})
type Plan = z.infer<typeof Plan>

const Prepared = z.array(SwapEntry)

/**
 * Journal of a checkout update, in the runner's own folder. The update's files are stored next to the checkout and
 * belong to the checkout's user. Their location is derived from the checkout's path and the journal's name.
 */
export interface Journal extends Plan {
  folder: string
  gitDir: string
  /** Folder for the update's copies of git's own files, such as the index. */
  scratch: string
  /** Folder for new and old files. It is on the checkout's file system, so that files can be moved into place. */
  stage: string
  /** Content of the index lock while this update holds it. */
  token: string
}

/** Opens a journal, and creates the folders for the update's files. */
export async function openJournal(
  files: Files,
  journals: string,
  plan: Omit<Plan, "process" | "isApart">,
): Promise<Journal> {
  const name = randomUUID()
  const gitDir = await gitDirOf(files, plan.checkout)
  const [there, here] = await Promise.all([files.stat(plan.checkout), files.stat(gitDir)])
  const noted = { ...plan, process: await ownProcess(), isApart: there?.dev !== here?.dev }
  const journal = { ...noted, ...placesOf(journals, name, gitDir, noted) }
  await mkdir(journal.folder, { recursive: true })
  await writeAtomically(`${journal.folder}/plan.json`, noted)
  await files.makeFolder(journal.scratch)
  await files.makeFolder(journal.stage)
  return journal
}

function placesOf(journals: string, name: string, gitDir: string, { checkout, isApart }: Plan) {
  const scratch = `${gitDir}/switchyard-${name}`
  const stage = isApart ? `${checkout}/.switchyard-${name}` : `${scratch}/stage`
  return { folder: `${journals}/${name}`, gitDir, scratch, stage, token: `switchyard ${name}` }
}

/** Records how to undo the update. Must be called before the checkout is changed. */
export async function notePrepared({ folder }: Journal, entries: SwapEntry[]): Promise<void> {
  await writeAtomically(`${folder}/prepared.json`, entries)
}

export async function readPrepared({ folder }: Journal): Promise<SwapEntry[] | undefined> {
  const text = await readIfExists(`${folder}/prepared.json`)
  return text === undefined ? undefined : Prepared.parse(JSON.parse(text))
}

export async function closeJournal(files: Files, { folder, scratch, stage }: Journal): Promise<void> {
  await files.remove(stage)
  await files.remove(scratch)
  await rm(folder, { recursive: true, force: true })
}

/**
 * Finds journals of processes that died during an update or couldn't undo it. Removes journals whose checkout no longer
 * belongs to the repository. The caller must hold the repository lock.
 */
export async function abandonedJournals(
  files: Files,
  journals: string,
  checkouts: () => Promise<string[]>,
): Promise<Journal[]> {
  const names = await readdir(journals).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return []
    throw error
  })
  const found: Journal[] = []
  for (const name of names.filter((each) => /^[0-9a-f-]{36}$/.test(each))) {
    const folder = `${journals}/${name}`
    const text = await readIfExists(`${folder}/plan.json`)
    const plan = text === undefined ? undefined : Plan.parse(JSON.parse(text))
    const isMine = plan?.process.pid === process.pid
    if (plan && !isMine && (await isRunning(plan.process))) continue
    const gitDir =
      plan && (await checkouts()).includes(plan.checkout) ? await gitDirIn(files, plan.checkout) : undefined
    if (plan && gitDir !== undefined) found.push({ ...plan, ...placesOf(journals, name, gitDir, plan) })
    // The process died before it wrote the plan or while it was removing the journal, or the checkout is gone.
    else await rm(folder, { recursive: true, force: true })
  }
  return found
}

/** Returns the git folder of a checkout, or undefined if it is no longer a checkout. */
function gitDirIn(files: Files, checkout: string): Promise<string | undefined> {
  return gitDirOf(files, checkout).catch(() => undefined)
}
