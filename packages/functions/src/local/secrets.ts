import { randomBytes } from "node:crypto"
import { chmod, link, readFile, rm, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { newSecret } from "@switchyard/core/people/access/secrets"
import { makeFolder } from "@switchyard/core/storage/make-folder"

/** The key that seals what is secret on this machine: 32 random bytes. */
export async function masterKey(folder: string): Promise<Uint8Array> {
  return storedSecret(join(folder, "master.key"), () => randomBytes(32))
}

/** The admin's token, where none is configured, and the file that has it. */
export async function adminToken(folder: string): Promise<{ token: string; file: string }> {
  const file = resolve(folder, "admin.token")
  const stored = await storedSecret(file, () => Buffer.from(`${newSecret()}\n`))
  return { token: stored.toString().trim(), file }
}

/** The content of a file that only its owner can read, made on first use. Of several processes that start at once, one makes it. */
async function storedSecret(file: string, make: () => Uint8Array): Promise<Buffer> {
  await makeFolder(dirname(file), { mode: 0o700 })
  const temporary = `${file}.${process.pid}`
  await writeFile(temporary, make(), { mode: 0o600 })
  try {
    // A link is made whole or not at all, and never over another.
    await link(temporary, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  } finally {
    await rm(temporary, { force: true })
  }
  await chmod(file, 0o600)
  return readFile(file)
}
