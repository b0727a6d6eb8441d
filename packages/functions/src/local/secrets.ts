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
 * Reads or creates the key that seals secrets on this machine: 32 random bytes. Throws `secret_unreadable` if the file
 * contains anything else, because a new key couldn't unseal existing secrets.
 */
export async function masterKey(folder: string): Promise<Uint8Array> {
  const file = join(folder, "master.key")
  const key = await storedSecret(file, () => randomBytes(KEY_BYTES))
  if (key.length === KEY_BYTES) return key
  const damaged = `${resolve(file)} has ${key.length} bytes instead of ${KEY_BYTES}, so it is not the original key.`
  const remedy =
    "Restore it from a backup. If you don't have one, move the file away: a new key will be created, and you will have to add all stored keys again."
  throw new AppError("secret_unreadable", `${damaged}\n${remedy}`)
}

/**
 * Reads or creates the admin token of a server whose configuration contains none. Returns the token and the path of
 * its file. Replaces a token that isn't in the expected format, because an empty token would admit anyone.
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
 * Reads or creates the token for this machine's user. Replaces the token if it is no longer valid, for example because
 * it was revoked.
 */
export async function localToken(
  folder: string,
  tokens: Pick<Tokens, "create" | "verify">,
  options: { signal: AbortSignal },
): Promise<string> {
  const file = resolve(folder, "local.token")
  const stored = await readText(file)
  if (stored !== undefined && (await tokens.verify(stored, options))) return stored
  const request = { name: "This machine (created when the server started)", scopes: [...LOCAL_PRINCIPAL.scopes] }
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

/**
 * Reads a file that only its owner can read, and creates it on first use. If several processes start at the same time,
 * only one of them creates the file, and all use it.
 */
async function storedSecret(file: string, make: () => Uint8Array): Promise<Buffer> {
  if (!existsSync(file)) await createSecret(file, make())
  await chmod(file, 0o600)
  return readFile(file)
}

async function createSecret(file: string, secret: Uint8Array): Promise<void> {
  await makeFolder(dirname(file), { mode: 0o700 })
  const temporary = `${file}.${process.pid}`
  try {
    // Flush the content first: after a power failure, a file with this name must not exist without its content.
    await writeFile(temporary, secret, { mode: 0o600, flush: true })
    // Creating a link is atomic and never replaces an existing file.
    await link(temporary, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  } finally {
    await rm(temporary, { force: true })
  }
}
