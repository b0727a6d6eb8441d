import { readFile } from "node:fs/promises"
import * as z from "zod"

/** A process as no later one is called: ids come again, so it has the time of its start beside it where that is known. */
export const ProcessIdentity = z.object({ pid: z.int(), started: z.string() })
export type ProcessIdentity = z.infer<typeof ProcessIdentity>

export async function ownProcess(): Promise<ProcessIdentity> {
  return { pid: process.pid, started: await startOf(process.pid) }
}

export async function isRunning({ pid, started }: ProcessIdentity): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // A process of somebody else's is one that runs.
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false
  }
  return (await startOf(pid)) === started
}

/** The process that a file names; undefined where there is no such file, or it is only being written. */
export async function readProcessIdentity(file: string): Promise<ProcessIdentity | undefined> {
  try {
    return ProcessIdentity.parse(JSON.parse(await readFile(file, "utf8")))
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
}

/** The boot, and the tick of that boot, in which a process began. Empty where a system doesn't tell, or it is gone. */
async function startOf(pid: number): Promise<string> {
  try {
    const [boot, stat] = await Promise.all([
      readFile("/proc/sys/kernel/random/boot_id", "utf8"),
      readFile(`/proc/${pid}/stat`, "utf8"),
    ])
    // The name of the program comes second, in brackets, and may hold any letters.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    // What only waits for its parent to hear of its end does nothing any more.
    return fields[0] === "Z" ? "gone" : `${boot.trim()}/${fields[19]}`
  } catch (error) {
    if (["ENOENT", "ESRCH", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return ""
    throw error
  }
}
