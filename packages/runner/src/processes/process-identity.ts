import { readFile } from "node:fs/promises"
import * as z from "zod"

/** Identifies a process uniquely. Includes the start time if it is known, because PIDs are reused. */
export const ProcessIdentity = z.object({ pid: z.int(), started: z.string() })
export type ProcessIdentity = z.infer<typeof ProcessIdentity>

export async function ownProcess(): Promise<ProcessIdentity> {
  return { pid: process.pid, started: await startOf(process.pid) }
}

export async function isRunning({ pid, started }: ProcessIdentity): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // The process is running even if it belongs to another user and can't be signalled.
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false
  }
  return (await startOf(pid)) === started
}

/** Reads a process identity from a file. Returns undefined if the file is missing or incomplete. */
export async function readProcessIdentity(file: string): Promise<ProcessIdentity | undefined> {
  try {
    return ProcessIdentity.parse(JSON.parse(await readFile(file, "utf8")))
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
}

/**
 * Returns the boot ID and the tick at which a process started. Returns "" if the process is gone, or if there is no
 * /proc.
 */
async function startOf(pid: number): Promise<string> {
  try {
    const [boot, stat] = await Promise.all([
      readFile("/proc/sys/kernel/random/boot_id", "utf8"),
      readFile(`/proc/${pid}/stat`, "utf8"),
    ])
    // The second field is the program's name in parentheses, which may contain any characters.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    // A zombie is no longer running.
    return fields[0] === "Z" ? "gone" : `${boot.trim()}/${fields[19]}`
  } catch (error) {
    if (["ENOENT", "ESRCH", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return ""
    throw error
  }
}
