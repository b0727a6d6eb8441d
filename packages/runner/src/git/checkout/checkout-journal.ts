import { randomUUID } from "node:crypto"
import { mkdir, readdir, rm, stat } from "node:fs/promises"
import * as z from "zod"
import { readIfExists, writeAtomically } from "../../files/atomic-json.ts"
import { isRunning, ownProcess, ProcessIdentity } from "../../processes/process-identity.ts"
import { SwapEntry } from "./swap-files.ts"

/** The plan of an update, written before anything in the checkout is touched. */
const Plan = z.object({
  process: ProcessIdentity,
  checkout: z.string(),
  gitDir: z.string(),
  branch: z.string(),
  from: z.string(),
  to: z.string(),
  /** On the checkout's file system, so that files can be moved from it. */
  stage: z.string(),
  /** The content of the lock while this process holds it. */
  token: z.string(),
})
type Plan = z.infer<typeof Plan>

const Prepared = z.array(SwapEntry)

/** The journal of a checkout that is being updated. */
export interface Journal extends Plan {
  folder: string
}

/** Opens a journal, with a folder for files on the checkout's own file system. */
export async function openJournal(
  commonDir: string,
  plan: Omit<Plan, "process" | "stage" | "token">,
): Promise<Journal> {
  const token = `switchyard ${randomUUID()}`
  const folder = `${commonDir}/switchyard/${token.slice("switchyard ".length)}`
  const [there, gitDir] = await Promise.all([stat(plan.checkout), stat(plan.gitDir)])
  const stage = there.dev === gitDir.dev ? `${folder}/stage` : `${plan.checkout}/.${token.replace(" ", "-")}`
  const journal = { ...plan, process: await ownProcess(), stage, token }
  await mkdir(folder, { recursive: true })
  await writeAtomically(`${folder}/plan.json`, journal)
  await mkdir(stage, { recursive: true })
  return { ...journal, folder }
}

/** Records how to undo the update; from here on, the checkout may be touched. */
export async function notePrepared({ folder }: Journal, entries: SwapEntry[]): Promise<void> {
  await writeAtomically(`${folder}/prepared.json`, entries)
}

export async function readPrepared({ folder }: Journal): Promise<SwapEntry[] | undefined> {
  const text = await readIfExists(`${folder}/prepared.json`)
  return text === undefined ? undefined : Prepared.parse(JSON.parse(text))
}

export async function closeJournal({ folder, stage }: Journal): Promise<void> {
  await rm(stage, { recursive: true, force: true })
  await rm(folder, { recursive: true, force: true })
}

/**
 * The journals of processes that died before they were done, or that couldn't undo what they had started. The caller must
 * hold the repository's lock.
 */
export async function abandonedJournals(commonDir: string): Promise<Journal[]> {
  const names = await readdir(`${commonDir}/switchyard`).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return []
    throw error
  })
  const found: Journal[] = []
  for (const name of names.filter((each) => /^[0-9a-f-]{36}$/.test(each))) {
    const folder = `${commonDir}/switchyard/${name}`
    const text = await readIfExists(`${folder}/plan.json`)
    if (text === undefined) {
      // Its process died before it touched anything, or after it was done.
      await rm(folder, { recursive: true, force: true })
      continue
    }
    const plan = Plan.parse(JSON.parse(text))
    const isMine = plan.process.pid === process.pid
    if (isMine || !(await isRunning(plan.process))) found.push({ ...plan, folder })
  }
  return found
}
