import { randomUUID } from "node:crypto"
import { readFile, rename, rm, writeFile } from "node:fs/promises"

/** Replaces the file in one step, and returns once it is on the disk: what it announces may happen only after that. */
export async function writeAtomically(file: string, value: unknown): Promise<void> {
  const fresh = `${file}-${randomUUID()}`
  try {
    await writeFile(fresh, JSON.stringify(value), { flush: true })
    await rename(fresh, file)
  } finally {
    await rm(fresh, { force: true })
  }
}

/** The text of a file; undefined if there is none. */
export async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
}
