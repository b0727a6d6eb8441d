import { randomBytes } from "node:crypto"
import { chmod, link, readFile, rename, rm, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { newSecret } from "@switchyard/core/people/access/secrets"
import type { Tokens } from "@switchyard/core/people/access/tokens"
import { makeFolder } from "@switchyard/core/storage/make-folder"
import { LOCAL_PRINCIPAL } from "../access.ts"

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

/**
 * The token of the person at this machine, kept in a file. Where that one isn't valid any more, as after it was revoked,
 * another is made in its place.
 */
export async function localToken(
  folder: string,
  tokens: Pick<Tokens, "create" | "verify">,
  options: { signal: AbortSignal },
): Promise<string> {
  const file = resolve(folder, "local.token")
  const stored = await readText(file)
  if (stored !== undefined && (await tokens.verify(stored, options))) return stored
  const request = { name: "This machine, made at its start", scopes: [...LOCAL_PRINCIPAL.scopes] }
  const { secret } = await tokens.create(LOCAL_PRINCIPAL, request, options)
  await replaceSecret(file, secret)
  return secret
}

/** Writes a file that only its owner can read. */
export async function replaceSecret(file: string, secret: string): Promise<void> {
  await makeFolder(dirname(file), { mode: 0o700 })
  const temporary = `${file}.${process.pid}`
  await rm(temporary, { force: true })
  await writeFile(temporary, `${secret}\n`, { mode: 0o600, flag: "wx" })
  await rename(temporary, file)
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, "utf8")).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
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
