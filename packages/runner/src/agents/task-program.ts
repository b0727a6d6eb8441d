import {
  type AgentAccount,
  type AgentTask,
  type CliCommand,
  type LaunchPlan,
  modeOf,
} from "@switchyard/core/agents/clis/cli"
import { clis } from "@switchyard/core/agents/clis/clis"
import type { AgentInput } from "@switchyard/core/agents/conversations/schema"
import { ownFiles } from "../files/files.ts"
import type { Located } from "../programs/locate.ts"
import { type HomeFile, makeHome, writeHome } from "../sandbox/agent-home.ts"
import { confineProgram } from "../sandbox/confine-program.ts"
import type { WorktreeUser } from "../sandbox/sandbox.ts"
import { agentEnvironment } from "./agent-environment.ts"
import type { Task, TaskDeps } from "./task.ts"

/** Makes the home of a user, or of the runner's own, and writes these files to it. */
export async function prepareHome(user: WorktreeUser | undefined, home: string, files: HomeFile[]): Promise<void> {
  await (user?.prepareHome ?? makeHome)(home)
  await writeHome(user?.files ?? ownFiles, home, files)
}

/** Prepares the home, and resolves to the environment of its programs. */
export async function prepareProgram(
  deps: TaskDeps,
  { home, gateway, network, tools, variables }: Task,
  { homeFiles }: CliCommand,
) {
  await prepareHome(deps.user, home, [...homeFiles, { path: ".tmp/.keep", content: "" }])
  const own = agentEnvironment(deps.host, { home, temporary: `${home}/.tmp`, programs: deps.programs })
  const env = { ...own, ...variables }
  if (network) return { ...env, ...network.env }
  return gateway || tools ? { ...env, ...withoutProxy(env) } : env
}

/** The command that runs the program with the files of its task alone, where that is wanted. */
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

/** Excludes the gateway and the tools from the machine's proxy, which could not reach them. */
function withoutProxy({ NO_PROXY, no_proxy }: Record<string, string>): Record<string, string> {
  const names = [NO_PROXY ?? no_proxy, "127.0.0.1"].filter(Boolean).join(",")
  return { NO_PROXY: names, no_proxy: names }
}

/** The launch of the program, in its other way for a `fallback` if it has one. No other way asks, so it needs the mode bypass. */
export function driveOf(input: AgentInput, task: AgentTask, account: AgentAccount, fallback: boolean): LaunchPlan {
  const cli = clis[input.cli]
  const other = fallback && modeOf(task) === "bypass" && "fallback" in cli ? cli.fallback?.(task, account) : undefined
  return other ?? cli.plan(task, account)
}
