import { execFile } from "node:child_process"
import { chmod, chown, lchown, lstat, mkdir, readdir, realpath } from "node:fs/promises"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { type AgentUser, groupOf } from "../processes/agent-user.ts"

/** Folders of the data folder that agents may pass through. Everything else in it is closed to them. */
const TRAVERSABLE = ["homes", "programs", "projects", "runner"]

/**
 * Prepares the data folder so that agents reach their own files and can read nothing else. The runner joins the group of its
 * session, as do the programs that it starts. Resolves to the folder of the session's projects.
 */
export async function prepareDataFolder(
  { uid }: AgentUser,
  { data, sid }: { data: string; sid: string },
): Promise<string> {
  for (const name of await readdir(data)) if (!TRAVERSABLE.includes(name)) await makePrivate(join(data, name))
  for (const name of ["", ...TRAVERSABLE, join("runner", sid)]) {
    await mkdir(join(data, name), { recursive: true })
    await chmod(join(data, name), 0o711)
  }
  const projects = join(data, "projects", sid)
  const gid = groupOf("session", sid)
  await makeTraversable(projects, gid)
  process.setgroups?.([gid])
  const arrives = promisify(execFile)("/usr/bin/env", ["-C", projects, "true"], { uid, gid, cwd: "/" })
  await arrives.catch((cause) => {
    throw new Error(`Agents can't get to ${data} as another user: a folder above it doesn't let them pass.`, { cause })
  })
  return projects
}

/** Makes a folder that one group may pass through and not list. */
export async function makeTraversable(folder: string, gid: number): Promise<void> {
  await mkdir(folder, { recursive: true })
  await chown(folder, 0, gid)
  await chmod(folder, 0o710)
}

async function makePrivate(path: string): Promise<void> {
  // The database's temporary files may be gone by now.
  const found = await lstat(path).catch(() => undefined)
  if (found && !found.isSymbolicLink() && (found.mode & 0o077) !== 0) await chmod(path, found.mode & 0o700)
}

/** Gives a folder of root's to the user, and those above it up to `within`, which stays root's. */
export async function chownFolders({ uid, gid }: AgentUser, within: string, path: string): Promise<void> {
  if (!path.startsWith(`${within}/`)) return
  for (let at = path; at !== within; at = dirname(at)) {
    const found = await lstat(at).catch(() => undefined)
    if (found?.isDirectory() && found.uid === 0 && (await realpath(at)) === at) await lchown(at, uid, gid)
  }
}

/**
 * Gives all of root's files in a folder to the user. `find` works on open folders, not on paths: even if an agent moves
 * folders meanwhile, no file outside is given away.
 */
export async function chownTree({ uid, gid }: AgentUser, folder: string): Promise<void> {
  const give = ["-execdir", "chown", "-h", `${uid}:${gid}`, "--", "{}", "+"]
  const env = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" }
  await promisify(execFile)("find", [folder, "-mindepth", "1", "-xdev", "-uid", "0", ...give], { env, cwd: "/" })
}
