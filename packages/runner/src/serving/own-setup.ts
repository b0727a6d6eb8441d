import { join } from "node:path"
import { cliTitle } from "@switchyard/core/agents/clis/titles"
import type { AgentInput } from "@switchyard/core/agents/conversations/schema"
import { readAgentSetup } from "@switchyard/core/agents/setup/in-thread"
import type { AgentSetup } from "@switchyard/core/agents/setup/read-setup"
import { AppError } from "@switchyard/core/errors"
import type { RunContext } from "@switchyard/core/work/runs/run-context"
import { agentEnvironment } from "../agents/agent-environment.ts"
import { locate } from "../programs/locate.ts"
import { makeHome } from "../sandbox/agent-home.ts"
import { confineProgram } from "../sandbox/confine-program.ts"
import { createCommandTransport } from "../tools/command-transport.ts"
import { type OwnServers, openOwnServers } from "../tools/own-servers.ts"
import type { WorkDeps } from "./work-deps.ts"

type Context = Pick<RunContext<AgentInput>, "record" | "warn">
type OwnSetup = Pick<AgentSetup, "files" | "servers">

const NOTHING: OwnSetup = { files: [], servers: [] }

/**
 * Returns the owner's own setup for the program, if the owner has consented to exactly this content. Otherwise, the
 * agent works without it, and its owner gets a warning.
 */
export async function ownSetup(
  context: Context,
  { cli, own_setups }: Pick<AgentInput, "cli" | "own_setups">,
  home: string | undefined,
): Promise<OwnSetup> {
  const digest = own_setups?.[cli]
  if (digest === undefined || home === undefined) return NOTHING
  const setup = await readAgentSetup(home, cli).catch(() => undefined)
  if (setup?.digest === digest) return setup
  await warnOwner(
    context,
    `Your own setup for ${cliTitle(cli)} has changed since your consent, so the agent is working without it. To see and allow it, use \`switchyard agent-setup allow ${cli}\`.`,
  )
  return NOTHING
}

/**
 * Opens the owner's own MCP servers for a task. A server that is a command runs outside the agent's sandbox, in a
 * sandbox and a home of its own.
 */
export function openSetupServers(
  deps: Pick<WorkDeps, "clock" | "family" | "folder" | "host" | "hosts" | "checks">,
  context: Context & { signal: AbortSignal },
  servers: OwnSetup["servers"],
): OwnServers {
  const { clock, family, host, hosts, checks } = deps
  return openOwnServers(
    {
      async openCommand({ name, command, args, env: own }) {
        const home = join(deps.folder, "servers", name)
        const temporary = join(home, ".tmp")
        for (const folder of [home, temporary]) await makeHome(folder)
        const env = { ...agentEnvironment(host, { home, temporary, programs: [] }), ...own }
        const path = env.PATH ?? ""
        const found = await locate(command, path)
        if (!found) throw new AppError("task_invalid", `its command ${command} isn't installed`)
        const program = { ...found, args: [...found.args, ...args] }
        const place = { cwd: home, writable: [home], path, hasTerminal: false }
        const confined = await confineProgram({ confinement: await checks.confinement() }, program, place)
        return createCommandTransport({ ...confined, cwd: home, env, family }, { clock })
      },
      async checkHost(name) {
        await hosts.check(name, { signal: context.signal })
      },
      failed: (name, reason) =>
        void warnOwner(context, `The agent is working without your MCP server ${name}: ${reason}.`).catch(() => {}),
    },
    servers,
  )
}

async function warnOwner({ warn, record }: Context, text: string): Promise<void> {
  warn(text)
  await record([{ type: "agent_notice", text }])
}
