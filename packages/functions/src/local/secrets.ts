import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { chmod, link, readFile, rename, rm, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { AppError } from "@switchyard/core/errors"
import { newSecret } from "@switchyard/core/people/access/secrets"
import type { Tokens } from "@switchyard/core/people/access/tokens"
import { makeFolder } from "@switchyard/core/storage/make-folder"
import { LOCAL_PRINCIPAL } from "../access.ts"

/**
 * The key that seals what is secret on this machine: 32 random bytes. Throws `secret_unreadable` for a file with anything else:
 * another key would open nothing of what is sealed.
 */
export async function masterKey(folder: string): Promise<Uint8Array> {
  const file = join(folder, "master.key")
  const key = await storedSecret(file, () => randomBytes(KEY_BYTES))
  if (key.length === KEY_BYTES) return key
  const damaged = `${resolve(file)} has ${key.length} bytes instead of ${KEY_BYTES}, so it is not the key that it was.`
  const remedy =
    "Put a copy of it back. Without one, move it away: another is made, and all stored keys have to be added again."
  throw new AppError("secret_unreadable", `${damaged}\n${remedy}`)
}

/**
 * The admin's token, where none is configured, and the file that has it. Another takes the place of one that isn't as it was
 * made: an empty one would be everybody's.
 */
export async function adminToken(folder: string): Promise<{ token: string; file: string }> {
  const file = resolve(folder, "admin.token")
  const stored = (await storedSecret(file, () => Buffer.from(`${newSecret()}\n`))).toString().trim()
  if (ADMIN_TOKEN.test(stored)) return { token: stored, file }
  const token = newSecret()
  await replaceSecret(file, token)
  return { token, file }
}

const KEY_BYTES = 32
const ADMIN_TOKEN = /^[0-9a-f]{40}$/

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
  await writeFile(temporary, `${secret}\n`, { mode: 0o600, flag: "wx", flush: true })
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
  if (!existsSync(file)) await createSecret(file, make())
  await chmod(file, 0o600)
  return readFile(file)
}

async function createSecret(file: string, secret: Uint8Array): Promise<void> {
  await makeFolder(dirname(file), { mode: 0o700 })
  const temporary = `${file}.${process.pid}`
  try {
    // A power cut mustn't leave the name without its content.
    await writeFile(temporary, secret, { mode: 0o600, flush: true })
    // A link is made whole or not at all, and never over another.
    await link(temporary, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  } finally {
    await rm(temporary, { force: true })
  }
}
