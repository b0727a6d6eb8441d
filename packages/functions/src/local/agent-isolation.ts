import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { AgentIsolation } from "@switchyard/core/agents/runner/isolation-schema"
import type { Config } from "../config.ts"

const PROGRAM = fileURLToPath(new URL("../../../runner/src/main.mjs", import.meta.url))

/**
 * Runs the runner's code to find out how it will isolate agents on this machine. Throws if the settings are unusable,
 * because otherwise each agent would fail later.
 */
export async function readAgentIsolation({ agents }: Pick<Config, "agents">): Promise<AgentIsolation> {
  if (agents.user === undefined && (agents.sandbox ?? "off") === "off") return NONE
  // Must run in the same environment as the runners, because the result depends on the environment.
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, "isolation"])
  return AgentIsolation.parse(JSON.parse(stdout))
}

const NONE: AgentIsolation = { user: "server", sandbox: null, network: "machine", required: false }
