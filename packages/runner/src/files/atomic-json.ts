import { randomUUID } from "node:crypto"
import { readFile, rename, rm, writeFile } from "node:fs/promises"

/**
 * Replaces the file atomically, and returns once its content is on disk. An action that the file announces must not
 * start before this function returns.
 */
export async function writeAtomically(file: string, value: unknown): Promise<void> {
  const fresh = `${file}-${randomUUID()}`
  try {
    await writeFile(fresh, JSON.stringify(value), { flush: true })
    await rename(fresh, file)
  } finally {
    await rm(fresh, { force: true })
  }
}

/** Returns the file's text. Returns undefined if the file doesn't exist. */
export async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
}
