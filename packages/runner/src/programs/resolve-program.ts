import { open, realpath } from "node:fs/promises"
import { delimiter } from "node:path"
import { cliOf } from "@switchyard/core/agents/added/cli-of"
import type { CliId } from "@switchyard/core/agents/clis/clis"
import type { Outcome } from "@switchyard/core/agents/clis/schema"
import type { NewEvent } from "@switchyard/core/events"
import { type InstallDeps, installCli } from "./install.ts"
import { type Located, locate } from "./locate.ts"
import { InstallError } from "./npm-errors.ts"

export interface ResolveDeps {
  append: (events: NewEvent[]) => Promise<void>
  /** Installs agents that aren't on the path. If undefined, no agents are installed. */
  install?: InstallDeps
}

/** Outcome of a turn whose program wasn't available. */
export type ProgramUnavailable = { outcome: Extract<Outcome, { type: "failed" }> }

/**
 * Finds an agent's program on the path. If the path doesn't contain the program, uses the pinned version, and installs
 * that version if necessary. The folders in `toolPath` are the project's own tools, which must not run the agent's
 * program.
 */
export async function resolveProgram(
  deps: ResolveDeps,
  { cli, file, path, toolPath }: { cli: CliId; file: string; path: string; toolPath?: string[] | undefined },
  { signal }: { signal: AbortSignal },
): Promise<Located | ProgramUnavailable> {
  const machinePath = path.split(delimiter).filter((folder) => !toolPath?.includes(folder))
  const found = await locate(file, machinePath.join(delimiter))
  if (found) return toolPath ? onNodeOf(machinePath.join(delimiter), found) : found
  try {
    const folder = await installed(deps, cli, signal)
    const program = folder && (await locate(file, folder))
    return program ? runnable(program) : failed(`${cliOf(cli).title} is not installed: ${advice(cli, file)}`)
  } catch (error) {
    if (signal.aborted) return failed("Cancelled while its program was being installed.", "cancelled")
    if (!(error instanceof InstallError)) throw error
    return failed(`${cliOf(cli).title} can't be installed: ${error.message}. ${advice(cli, file)}`)
  }
}

async function installed({ append, install }: ResolveDeps, cli: CliId, signal: AbortSignal) {
  if (!install) return undefined
  const begins = (what: string) =>
    append([{ type: "progress", summary: `Installing ${what} (only needed once on this machine) …` }])
  return installCli(install, cli, { begins, signal })
}

/**
 * Returns a command that runs JavaScript programs with the runner's own Node, because the Node on the path may be too
 * old.
 */
async function runnable({ file, args }: Located): Promise<Located> {
  const real = await realpath(file)
  return real.endsWith(".js") ? { file: process.execPath, args: [real, ...args] } : { file: real, args }
}

/** Returns a command that runs a Node script with the Node on this path. Other programs stay as they are. */
async function onNodeOf(path: string, found: Located): Promise<Located> {
  await using opened = await open(found.file)
  const { buffer, bytesRead } = await opened.read(Buffer.alloc(128), 0, 128, 0)
  const isNode = /^#!\S*env (?:-S )?node\b/.test(buffer.toString("latin1", 0, bytesRead))
  const node = isNode ? await locate("node", path) : undefined
  return node ? { file: node.file, args: [found.file, ...found.args] } : found
}

function advice(cli: CliId, file: string): string {
  const { package: pinned } = cliOf(cli)
  if (!pinned) return `Make sure that ${file} is on the server's PATH, and can be run there.`
  const command =
    pinned.registry === "pypi"
      ? `\`uv tool install ${pinned.name}==${pinned.version}\` (requires Python 3.12)`
      : `\`npm install --global ${pinned.name}@${pinned.version}\``
  return `Install it with ${command} so that ${file} is on the server's PATH.`
}

function failed(message: string, problem: "not_installed" | "cancelled" = "not_installed"): ProgramUnavailable {
  return { outcome: { type: "failed", problem, message } }
}
