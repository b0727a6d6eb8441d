import {
  type AgentAccount,
  type AgentTask,
  type AnyCli,
  type CliCommand,
  modeOf,
} from "@switchyard/core/agents/clis/cli"
import { protocols } from "@switchyard/core/agents/protocols/protocols"
import { setupPlaces } from "@switchyard/core/agents/setup/sources"
import { ownFiles } from "../files/files.ts"
import type { Located } from "../programs/locate.ts"
import { type HomeFile, makeHome, replaceInHome, writeHome } from "../sandbox/agent-home.ts"
import { confineProgram } from "../sandbox/confine-program.ts"
import type { WorktreeUser } from "../sandbox/sandbox.ts"
import { agentEnvironment } from "./agent-environment.ts"
import type { Task, TaskDeps } from "./task.ts"

/** Creates the home of `user` and writes these files to it. Without `user`, uses the runner's own user. */
export async function prepareHome(user: WorktreeUser | undefined, home: string, files: HomeFile[]): Promise<void> {
  await (user?.prepareHome ?? makeHome)(home)
  await writeHome(user?.files ?? ownFiles, home, files)
}

/** Prepares the home, and returns the environment for programs in it. */
export async function prepareProgram(
  deps: TaskDeps,
  { input, home, gateway, network, tools, setup = [], toolPath = [], variables }: Task,
  { homeFiles }: CliCommand,
) {
  await prepareHome(deps.user, home, [...homeFiles, { path: ".tmp/.keep", content: "" }])
  await replaceInHome(deps.user?.files ?? ownFiles, home, setupPlaces(input.cli), setup)
  const own = agentEnvironment(deps.host, {
    home,
    temporary: `${home}/.tmp`,
    programs: [...deps.programs, ...toolPath],
  })
  const env = { ...own, ...variables }
  if (network) return { ...env, ...network.env }
  return gateway || tools ? { ...env, ...withoutProxy(env) } : env
}

/** Returns the command that confines the program to its task's files if confinement is available. */
export async function confined(
  { confinement, user }: TaskDeps,
  { root, cwd, home, git, needs, network }: Task,
  program: Located,
  env: Record<string, string>,
): Promise<Located> {
  if (!confinement) return program
  const place = {
    cwd,
    writable: [root, home],
    mounts: git,
    path: env.PATH ?? "",
    needs,
    ...(network?.ways && { network: network.ways }),
  }
  return confineProgram({ confinement, user }, program, place)
}

/** Excludes the gateway and the tools from the proxy settings, because the machine's proxy can't reach them. */
function withoutProxy({ NO_PROXY, no_proxy }: Record<string, string>): Record<string, string> {
  const names = [NO_PROXY ?? no_proxy, "127.0.0.1"].filter(Boolean).join(",")
  return { NO_PROXY: names, no_proxy: names }
}

/**
 * Returns the launch plan. The fallback plan is used only in `bypass` mode, because its program never asks for
 * permission.
 */
export function driveOf(
  cli: AnyCli,
  task: AgentTask,
  account: AgentAccount,
  fallback: boolean,
): ReturnType<AnyCli["plan"]> {
  const other = fallback && modeOf(task) === "bypass" ? cli.fallback?.(task, account, protocols) : undefined
  return other ?? cli.plan(task, account, protocols)
}
