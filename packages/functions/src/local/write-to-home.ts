import { randomUUID } from "node:crypto"
import { constants } from "node:fs"
import { lstat, mkdir, open, realpath, rename, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { AppError } from "@switchyard/core/errors"

/**
 * Writes files to this user's home, at paths relative to it. Keeps a file that already contains the new content, because
 * the user has continued the session. Throws `task_invalid` if a file's content differs, or if a link is in the way.
 */
export async function writeToHome(home: string, files: { path: string; content: Uint8Array }[]): Promise<void> {
  const root = await realpath(home)
  const changed: { target: string; content: Uint8Array }[] = []
  for (const { path, content } of files) {
    if (path.split("/").some((name) => name === "" || name === "." || name === "..")) throw conflict(path)
    await makeFolders(root, dirname(path))
    const target = join(root, path)
    const existing = await readIfThere(target)
    if (existing && startsWith(existing, content)) continue
    if (existing && !startsWith(content, existing)) throw conflict(path)
    changed.push({ target, content })
  }
  for (const { target, content } of changed) {
    const fresh = `${target}.${randomUUID()}`
    await writeFile(fresh, content, { mode: 0o600, flag: "wx" })
    await rename(fresh, target)
  }
}

async function makeFolders(root: string, path: string): Promise<void> {
  let folder = root
  for (const name of path.split("/")) {
    folder = join(folder, name)
    await mkdir(folder, { mode: 0o700 }).catch(ignore("EEXIST"))
    if (!(await lstat(folder)).isDirectory()) throw conflict(path)
  }
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    ignore("ENOENT"),
  )
  if (!file) return undefined
  await using opened = file
  if (!(await opened.stat()).isFile()) throw conflict(path)
  return await opened.readFile()
}

function ignore(expected: string): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (error.code === "ELOOP") throw conflict(error.path ?? "")
    if (error.code !== expected) throw error
  }
}

function startsWith(whole: Uint8Array, beginning: Uint8Array): boolean {
  return Buffer.from(whole.subarray(0, beginning.length)).equals(beginning)
}

function conflict(path: string): AppError {
  return new AppError(
    "task_invalid",
    "Your home already has another version of this session, or a link in its place.",
    {
      path,
    },
  )
}
