import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { AgentIsolation } from "@switchyard/core/agents/runner/isolation-schema"
import * as z from "zod"
import type { Config } from "../config.ts"

const PROGRAM = fileURLToPath(new URL("../../../runner/src/main.mjs", import.meta.url))

/**
 * Runs the runner's code to find out how runners will isolate agents on this machine. Throws if the settings can't
 * work, because every agent would otherwise fail later.
 */
export async function readAgentIsolation({ agents }: Pick<Config, "agents">): Promise<AgentIsolation> {
  if (agents.user === undefined && (agents.sandbox ?? "off") === "off") return NONE
  // Use the same environment as for the runners, because the result depends on it.
  return (await readIsolation()).agents
}

/**
 * Returns a function that finds out whether runners confine project code on this machine. The function caches its
 * result.
 */
export function createConfinesChecks(read = readIsolation): () => Promise<boolean> {
  let found: Promise<Isolation> | undefined
  return async () => {
    found ??= read()
    try {
      return (await found).confines_checks
    } catch (error) {
      // Clear the cache, so that the next call tries again: the program may have failed to start for a temporary
      // reason.
      found = undefined
      throw error
    }
  }
}

const Isolation = z.object({ agents: AgentIsolation, confines_checks: z.boolean() })
type Isolation = z.infer<typeof Isolation>

async function readIsolation(): Promise<Isolation> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, "isolation"])
  return Isolation.parse(JSON.parse(stdout))
}

const NONE: AgentIsolation = { user: "server", sandbox: null, network: "machine", required: false }
