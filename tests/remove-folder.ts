import { readdir, readFile, readlink, rm } from "node:fs/promises"
import { setTimeout } from "node:timers/promises"

const POLL_MS = 10

/**
 * Removes a folder in which a process that has ended worked. Programs that it had started, a git or an agent, may still
 * work there, and the removal fails if one of them writes meanwhile: they are killed first, or else waited for.
 */
export async function removeFolder(folder: string, { kill }: { kill: boolean }): Promise<void> {
  await emptyOfProcesses(folder, { kill })
  // Where there is no /proc, nobody is found, and another attempt is all that is left.
  await rm(folder, { recursive: true, force: true, maxRetries: 20 })
}

/** Resolves once no other process works in the folder; with `kill`, after each that does was killed. */
export async function emptyOfProcesses(folder: string, { kill }: { kill: boolean }): Promise<void> {
  for (;;) {
    const pids = await processesIn(folder)
    if (pids.length === 0) return
    if (kill) for (const pid of pids) killIfAlive(pid)
    await setTimeout(POLL_MS)
  }
}

/** The ids of other processes that have the folder, or something in it, as working directory, open file or argument. */
async function processesIn(folder: string): Promise<number[]> {
  const names = await readdir("/proc").catch(() => [])
  const pids = names.map(Number).filter((pid) => pid > 0 && pid !== process.pid)
  const found = await Promise.all(pids.map(async (pid) => ((await isIn(folder, `/proc/${pid}`)) ? [pid] : [])))
  return found.flat()
}

/** False for a process that is gone, or somebody else's, whose files can't be read. */
async function isIn(folder: string, proc: string): Promise<boolean> {
  const files = await readdir(`${proc}/fd`).catch(() => [])
  const links = ["cwd", ...files.map((file) => `fd/${file}`)].map((link) => readlink(`${proc}/${link}`))
  const texts = await Promise.allSettled([readFile(`${proc}/cmdline`, "latin1"), ...links])
  return texts.some((text) => text.status === "fulfilled" && text.value.includes(folder))
}

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}
