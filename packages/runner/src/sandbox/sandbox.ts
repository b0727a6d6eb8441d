import { chown, mkdir } from "node:fs/promises"
import { dirname, join } from "node:path"
import { createGit, type Git } from "../git/plumbing/git.ts"
import { type AgentUser, findAgentUser, groupOf } from "../processes/agent-user.ts"
import { type HomeFile, writeHomeAs } from "./agent-home.ts"
import { chownFolders, chownTree, makeTraversable, prepareDataFolder } from "./data-permissions.ts"

/** Runs agents beside a root runner as another user, who reaches their own files and no others. */
export interface Sandbox {
  /** A git for repositories that agents can change: programs that their configuration names must not run as root. */
  git: Git
  homeOf(name: string): string
  /** Gives the account's programs all the files that they need, and resolves to the user that they run as. */
  prepareHome(home: string, files: HomeFile[]): Promise<AgentUser>
}

/** Undefined if agents run as the runner's own user. */
export async function openSandbox(
  name: string | undefined,
  { data, sid, env }: { data: string; sid: string; env: Record<string, string> },
): Promise<Sandbox | undefined> {
  const user = await findAgentUser(name)
  if (!user) return undefined
  const projects = await prepareDataFolder(user, { data, sid })
  // The runner's own home, with its git configuration, is not for the agents' user.
  const { HOME: _, ...environment } = env
  const plain = createGit({ env: environment, user: { uid: user.uid, gid: groupOf("session", sid) } })
  return {
    async git(args, call) {
      // Folders that the runner has just made for git are still root's.
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
      // Files that the runner restored in either are still root's.
      await chownTree(user, projects)
      await chownTree(account, home)
      await writeHomeAs(account, home, files)
      return account
    },
  }
}
