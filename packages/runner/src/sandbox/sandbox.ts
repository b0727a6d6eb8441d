import { chown, mkdir } from "node:fs/promises"
import { dirname, join } from "node:path"
import { createGit, type Git } from "../git/plumbing/git.ts"
import { type AgentUser, findAgentUser, groupOf } from "../processes/agent-user.ts"
import { type HomeFile, writeHomeAs } from "./agent-home.ts"
import { chownFolders, chownTree, makeTraversable, prepareDataFolder } from "./data-permissions.ts"

/** How agents live beside a runner that is root: as another user, who reaches what is theirs and no more. */
export interface Sandbox {
  /** For repositories that agents can change: what these name to be run must not run as root. */
  git: Git
  homeOf(name: string): string
  /** Makes everything their own that a program of the account needs, and resolves to whom it runs as. */
  prepareHome(home: string, files: HomeFile[]): Promise<AgentUser>
}

/** Undefined where agents run as the runner does. */
export async function openSandbox(
  name: string | undefined,
  { data, sid, env }: { data: string; sid: string; env: Record<string, string> },
): Promise<Sandbox | undefined> {
  const user = await findAgentUser(name)
  if (!user) return undefined
  const projects = await prepareDataFolder(user, { data, sid })
  // Whatever the machine's own configuration names is meant for others.
  const { HOME: _, ...environment } = env
  const plain = createGit({ env: environment, user: { uid: user.uid, gid: groupOf("session", sid) } })
  return {
    async git(args, call) {
      // Folders that were made for it to write in are the runner's still.
      for (const path of [call.cwd, ...args]) await chownFolders(user, projects, path)
      return plain(args, call)
    },
    homeOf: (account) => join(data, "homes", account, "home"),
    async prepareHome(home, files) {
      const gate = dirname(home)
      const account = { uid: user.uid, gid: groupOf("account", gate) }
      await makeTraversable(gate, account.gid)
      await mkdir(home, { recursive: true, mode: 0o700 })
      await chown(home, account.uid, account.gid)
      // What was brought back of either came from the runner's own hands.
      await chownTree(user, projects)
      await chownTree(account, home)
      await writeHomeAs(account, home, files)
      return account
    },
  }
}
