import { execFile } from "node:child_process"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { type BuiltInCli, clis } from "@switchyard/core/agents/clis/clis"
import { confinement } from "../runner/sandbox/confined.ts"

/** A way to run agents, set by the environment of a server or a runner. */
export interface Place {
  name: string
  env: Record<string, string>
  isConfined: boolean
  /** True if agents run as another user than the server. */
  hasUser: boolean
}

/** A user that every machine has. */
export const USER = "nobody"

/**
 * The tests' servers have no login, so users' repositories aren't registered, and git would refuse another user's
 * repositories.
 */
const ANOTHER_USER = {
  SWITCHYARD_AGENT_USER: USER,
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "safe.directory",
  GIT_CONFIG_VALUE_0: "*",
}

const PLACES: Place[] = [false, true].flatMap((hasUser) =>
  [false, true].map((isConfined) => ({
    name: `${hasUser ? "as another user" : "as the server's user"}${isConfined ? " in a sandbox" : ""}`,
    env: { SWITCHYARD_AGENT_SANDBOX: isConfined ? "require" : "off", ...(hasUser && ANOTHER_USER) },
    isConfined,
    hasUser,
  })),
)

/** Ways in which this machine can run agents. */
export const places = PLACES.filter(
  ({ isConfined, hasUser }) =>
    (!isConfined || confinement.means === "bubblewrap") && (!hasUser || process.getuid?.() === 0),
)

/**
 * Puts an installed program into a data folder, so that other users and sandboxes can read it. Resolves to the
 * variables with which a runner finds it.
 */
export async function provideProgram(
  cli: BuiltInCli,
  programs: string,
  dataFolder: string,
): Promise<Record<string, string>> {
  const name = `${cli}-${clis[cli].package?.version}`
  const target = join(dataFolder, "programs")
  await mkdir(target, { recursive: true })
  await promisify(execFile)("cp", ["-al", join(programs, name), target])
  // Mistral Vibe is not on npm, so no server installs it.
  return cli === "vibe" ? { PATH: `${join(target, name, "bin")}:${process.env.PATH}` } : {}
}
