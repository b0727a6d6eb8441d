import { randomBytes } from "node:crypto"
import { chmod, link, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"

/**
 * The key that seals what is secret on this machine: 32 random bytes in a file that only its owner reads, made on first
 * use. Of several processes that start at once, one makes it.
 */
export async function masterKey(folder: string): Promise<Uint8Array> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, "master.key")
  const mine = `${file}.${process.pid}`
  await writeFile(mine, randomBytes(32), { mode: 0o600 })
  try {
    // A link is made whole or not at all, and never over another.
    await link(mine, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  } finally {
    await rm(mine, { force: true })
  }
  await chmod(file, 0o600)
  return readFile(file)
}
