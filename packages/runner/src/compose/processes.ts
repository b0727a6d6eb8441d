import { createHash } from "node:crypto"
import { join } from "node:path"
import { MAIN_WORKTREE } from "@switchyard/core/files/worktrees/names-schema"
import { systemClock as clock } from "@switchyard/core/time"
import { withoutProxyCredentials } from "../agents/proxy-environment.ts"
import { PROJECT_USERS } from "../gate/workdir.ts"
import { createGit } from "../git/plumbing/create-git.ts"
import { openControlGroup } from "../processes/control-group.ts"
import { killFamily, MARK } from "../processes/process-tree.ts"
import { openSupervisor } from "../processes/supervisor.ts"
import { locate } from "../programs/locate.ts"
import { type Confinement, checkConfinementMode, confinementMode, openConfinement } from "../sandbox/confinement.ts"
import { createConfineGit } from "../sandbox/git-sandbox.ts"
import { openSandbox, type Sandbox } from "../sandbox/sandbox.ts"
import type { RunnerHost } from "../serving/host.ts"
import type { WorktreeServicesDeps } from "../serving/worktree-services.ts"

interface Processes {
  /** Mark of every program that this runner starts. */
  family: string
  supervisor: Awaited<ReturnType<typeof openSupervisor>>
  sandbox: Sandbox | undefined
  confinement: Confinement
  /**
   * Returns the confinement for unreviewed builds. Builds aren't confined if the machine has no sandbox, or if the
   * sandbox is disabled.
   */
  checkConfinement: () => Promise<Confinement>
  gitOf: WorktreeServicesDeps["gitOf"]
  confineGit: WorktreeServicesDeps["project"]["confineGit"]
  cleanUp: () => Promise<void>
}

/** Opens everything that is needed to start programs, and to end programs left behind by a dead runner. */
export async function openProcesses(
  {
    sid,
    dataFolder,
    local,
    isContainer,
    gitWithinMs: withinMs,
  }: Pick<RunnerHost, "sid" | "dataFolder" | "local" | "isContainer" | "gitWithinMs">,
  host: NodeJS.ProcessEnv,
  report: (error: unknown) => void,
): Promise<Processes> {
  // Include the data folder, because a session in another data folder on this machine may have the same ID.
  const family = createHash("sha256").update(`${dataFolder}\0${sid}`).digest("hex").slice(0, 24)
  const perl = await locate("perl", host.PATH ?? "")
  const group = await openControlGroup()
  const supervisor = await openSupervisor(perl?.file, group?.processes)
  const orphans = supervisor ? undefined : { folders: [join(dataFolder, "projects", sid)], since: 0 }
  // Mark git processes too, so that the next runner ends them before it reads their results.
  const env = { ...gitEnvironment(host), [MARK]: `${family}.git` }
  // In the sandbox, git runs as the agents' user, so agents can read its environment.
  const shown = withoutProxyCredentials(env)
  const setpriv = (await locate("setpriv", host.PATH ?? ""))?.file
  const about = { data: dataFolder, sid, env: shown, isContainer, setpriv, withinMs }
  const sandbox = await openSandbox(host.SWITCHYARD_AGENT_USER, about)
  const git = createGit({ env, userConfig: local, withinMs })
  const user = sandbox?.userOf(MAIN_WORKTREE, "own")
  const bwrap = await locate("bwrap", host.PATH ?? "")
  const mode = confinementMode(host.SWITCHYARD_AGENT_SANDBOX, user)
  const checkMode = checkConfinementMode(host.SWITCHYARD_AGENT_SANDBOX, user)
  const means = { bwrap: bwrap?.file, perl: perl?.file, supervisor }
  let checkConfinement: Promise<Confinement> | undefined
  const confinement = await openConfinement({ ...means, mode, user })
  return {
    family,
    supervisor,
    sandbox,
    confinement,
    confineGit:
      confinement.means &&
      createConfineGit({
        ...{ confinement, path: host.PATH ?? "" },
        userOf: (worktree, repository) => sandbox?.userOf(worktree, repository),
        home: local && !sandbox ? host.HOME : undefined,
      }),
    checkConfinement() {
      checkConfinement ??= openConfinement({
        ...means,
        mode: checkMode,
        user: sandbox?.userOf(PROJECT_USERS.checks, "own"),
      })
      return checkConfinement
    },
    gitOf: (worktree, repository) => sandbox?.userOf(worktree, repository).git ?? git,
    async cleanUp() {
      const survivors = await killFamily(family, { clock, orphans })
      if (survivors.length > 0) report(new Error(`Couldn't end these processes: ${survivors.join(", ")}.`))
    },
  }
}

function gitEnvironment(host: NodeJS.ProcessEnv): Record<string, string> {
  const passed = ["PATH", "HOME", "SSH_AUTH_SOCK", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"]
  return Object.fromEntries(passed.flatMap((name) => (host[name] ? [[name, host[name]]] : [])))
}
