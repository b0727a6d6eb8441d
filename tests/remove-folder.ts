import { readdir, readFile, readlink, rm } from "node:fs/promises"
import { setTimeout } from "node:timers/promises"

const POLL_MS = 10

/**
 * Removes a folder after waiting for, or killing, every process that uses it. A process may leave children that still
 * write to the folder, such as git or an agent, and a write during the removal would make it fail.
 */
export async function removeFolder(folder: string, { kill }: { kill: boolean }): Promise<void> {
  await emptyOfProcesses(folder, { kill })
  // Without /proc, no processes are found, so the removal relies on retries.
  await rm(folder, { recursive: true, force: true, maxRetries: 20 })
}

/** Resolves once no other process uses the folder. With `kill`, kills those processes. */
export async function emptyOfProcesses(folder: string, { kill }: { kill: boolean }): Promise<void> {
  for (;;) {
    const pids = await processesIn(folder)
    if (pids.length === 0) return
    if (kill) for (const pid of pids) killIfAlive(pid)
    await setTimeout(POLL_MS)
  }
}

/** Returns the ids of other processes whose working directory, open files or arguments mention the folder. */
async function processesIn(folder: string): Promise<number[]> {
  const names = await readdir("/proc").catch(() => [])
  const pids = names.map(Number).filter((pid) => pid > 0 && pid !== process.pid)
  const found = await Promise.all(pids.map(async (pid) => ((await isIn(folder, `/proc/${pid}`)) ? [pid] : [])))
  return found.flat()
}

/** Returns true if the process uses the folder, false if it has exited or belongs to another user. */
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
