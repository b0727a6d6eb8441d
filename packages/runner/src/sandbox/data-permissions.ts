import { execFile } from "node:child_process"
import { chmod, chown, lstat, mkdir, readdir } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import type { AgentUser } from "../processes/agent-user.ts"

/** Subfolders of the data folder that agents may traverse. They can't enter any other subfolder. */
const TRAVERSABLE = ["homes", "programs", "projects", "runner", "tools"]

/**
 * Prepares the data folder so that agents can read only their own files. The runner and its programs join the group of
 * their session. Returns the folder for the session's projects.
 */
export async function prepareDataFolder(
  { uid, gid }: AgentUser,
  { data, sid }: { data: string; sid: string },
): Promise<string> {
  const asUser = (args: string[]) => promisify(execFile)("/usr/bin/env", args, { uid, gid, cwd: "/" })
  await asUser(["true"]).catch((cause) => {
    throw new Error(`Can't run agents as separate users: this system doesn't permit user ID ${uid}.`, { cause })
  })
  for (const name of await readdir(data)) if (!TRAVERSABLE.includes(name)) await makePrivate(join(data, name))
  for (const name of ["", ...TRAVERSABLE, join("runner", sid)]) {
    await mkdir(join(data, name), { recursive: true })
    await chmod(join(data, name), 0o711)
  }
  const projects = join(data, "projects", sid)
  await makeTraversable(projects, gid)
  // Only processes with this group create files in this folder.
  await chmod(projects, 0o770)
  process.setgroups?.([gid])
  // In the session's own repository, one agent's git must be able to change files that another agent's git has created.
  process.umask(0o002)
  await asUser(["-C", projects, "true"]).catch((cause) => {
    throw new Error(`Agents that run as another user can't access ${data}: a parent folder denies them access.`, {
      cause,
    })
  })
  return projects
}

/** Creates a folder that one group may traverse but not list. */
export async function makeTraversable(folder: string, gid: number): Promise<void> {
  await mkdir(folder, { recursive: true })
  await chown(folder, 0, gid)
  await chmod(folder, 0o710)
}

async function makePrivate(path: string): Promise<void> {
  // Temporary files of the database may have been removed by now.
  const found = await lstat(path).catch(() => undefined)
  if (found && !found.isSymbolicLink() && (found.mode & 0o077) !== 0) await chmod(path, found.mode & 0o700)
}
