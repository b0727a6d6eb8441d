import { chown, mkdir } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { Files } from "../files/files.ts"
import { createGit, type Git } from "../git/plumbing/git.ts"
import { type AgentUser, findAgentUser, groupOf } from "../processes/agent-user.ts"
import { MARK } from "../processes/process-tree.ts"
import { makeTraversable, prepareDataFolder, sessionGroup } from "./data-permissions.ts"
import { openFilesProcess } from "./files-process.ts"

/** Runs agents beside a root runner as another user, who reaches their own files and no others. */
export interface Sandbox {
  /**
   * A git for repositories that agents can change, with their files: programs that their configuration names must not run as
   * root, nor must root follow their paths.
   */
  git: Git
  homeOf(name: string): string
  /** Makes the account's home, and resolves to the user that its programs run as. */
  prepareHome(home: string): Promise<AgentUser>
  /** The files of an account's home, for that user. */
  filesOf(home: string): Files
}

/** Undefined if agents run as the runner's own user. */
export async function openSandbox(
  name: string | undefined,
  { data, sid, env, withinMs }: { data: string; sid: string; env: Record<string, string>; withinMs?: number },
): Promise<Sandbox | undefined> {
  const user = await findAgentUser(name)
  if (!user) return undefined
  await prepareDataFolder(user, { data, sid })
  // The runner's own home, with its git configuration, is not for the agents' user.
  const { HOME: _, ...environment } = env
  const marked = { env: { [MARK]: env[MARK] ?? "" } }
  const worker = { uid: user.uid, gid: sessionGroup({ data, sid }) }
  const accountOf = (home: string) => ({ uid: user.uid, gid: groupOf("account", dirname(home)) })
  const homes = new Map<string, Files>()
  return {
    git: createGit({ env: environment, user: worker, files: openFilesProcess(worker, marked), withinMs }),
    homeOf: (account) => join(data, "homes", account, "home"),
    async prepareHome(home) {
      const account = accountOf(home)
      await makeTraversable(dirname(home), account.gid)
      await mkdir(home, { recursive: true, mode: 0o700 })
      await chown(home, account.uid, account.gid)
      return account
    },
    filesOf(home) {
      const files = homes.get(home) ?? openFilesProcess(accountOf(home), marked)
      homes.set(home, files)
      return files
    },
  }
}
