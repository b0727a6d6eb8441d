import { createHash } from "node:crypto"
import type { AcpAgent, AddedAgent, CommandAgent } from "../clis/added-schema.ts"
import {
  type AgentAccount,
  type AgentTask,
  type AnyCli,
  type CliCommand,
  type LaunchPlan,
  modeOf,
  type Protocols,
  type TerminalPlan,
} from "../clis/cli.ts"
import { type CliId, clis, isBuiltIn } from "../clis/clis.ts"
import { TOOLS_TOKEN_VARIABLE, TOOLS_URL_VARIABLE } from "../clis/own-tools.ts"

/**
 * Returns what is known about a program. `added` are the operator's settings of an added program. Without them, the
 * program can't run.
 */
export function cliOf(cli: CliId, added?: AddedAgent): AnyCli {
  if (isBuiltIn(cli)) return clis[cli]
  const sessions = added && "acp" in added ? added.sessions : undefined
  return {
    title: cli,
    description: "Added by this server's operator.",
    package: null,
    keyVariables: [],
    defaultApi: () => null,
    hosts: added?.hosts ?? [],
    login: { refused: `${cli} can't have a login here. Use a key if it needs one.` },
    startFiles: { ...STARTED, ...Object.fromEntries((added?.start_files ?? []).map((name) => [name, ANYTHING])) },
    instructionFiles: [],
    tools: {},
    ...(sessions && { sessionFiles: { folder: sessions, mark: () => "" } }),
    plan: (task, account, protocols) => planOf(cli, added, task, account, protocols),
  }
}

const ANYTHING = "programs of an added agent"

/** Files that start programs in any built-in agent. Many other agents read the same files. */
const STARTED = Object.fromEntries(
  Object.values(clis)
    .flatMap(({ startFiles }) => Object.keys(startFiles))
    .map((name) => [name, ANYTHING]),
)

function planOf(
  cli: CliId,
  added: AddedAgent | undefined,
  task: AgentTask,
  account: AgentAccount,
  { acp }: Protocols,
): ReturnType<AnyCli["plan"]> {
  if (!added) return { refused: `${cli} isn't among this server's agents any more.` }
  if (task.model !== null && !added.model) {
    return { refused: `${cli} can't be given a model, because its settings have no \`model\`.` }
  }
  return "acp" in added ? acpPlan(added, task, account, acp) : terminalPlan(cli, added, task, account)
}

function acpPlan(added: AcpAgent, task: AgentTask, account: AgentAccount, acp: Protocols["acp"]): LaunchPlan {
  const { ask, bypass } = added.modes
  const mode = modeOf(task) === "bypass" ? bypass : (ask ?? undefined)
  return {
    command: commandOf(added.acp, added, task, account),
    protocol: acp(task, { ...(mode !== undefined && { mode }), added: { alwaysAsks: ask === null } }),
  }
}

const MAX_ARGUMENT_BYTES = 100_000

function terminalPlan(
  cli: CliId,
  added: CommandAgent,
  task: AgentTask,
  account: AgentAccount,
): TerminalPlan | { refused: string } {
  const command = (task.resume !== null && added.resume) || added.command
  if (modeOf(task) !== "bypass") {
    return { refused: `${cli} can't ask for permission. Use the mode bypass, without rules that deny or ask.` }
  }
  if (command.includes("{prompt}") && Buffer.byteLength(task.prompt) > MAX_ARGUMENT_BYTES) {
    return { refused: `The prompt is too long for an argument. Use {prompt_file} in the settings of ${cli}.` }
  }
  const isTyped = !command.includes("{prompt}") && !command.includes("{prompt_file}")
  return {
    command: commandOf(command, added, task, account),
    terminal: {
      keys: isTyped ? task.prompt : null,
      silenceMs: added.silence_seconds === undefined ? null : added.silence_seconds * 1000,
      limits: added.limits,
      session: added.resume ? cli : null,
    },
  }
}

function commandOf(
  [file = "", ...args]: string[],
  { env, key, model }: AddedAgent,
  task: AgentTask,
  { apiKey }: AgentAccount,
): CliCommand {
  // All agents of an account share its home, so prompts must not overwrite each other.
  const path = `.prompts/${createHash("sha256").update(task.prompt).digest("hex").slice(0, 16)}.txt`
  const values: { [placeholder: string]: string } = {
    "{prompt}": task.prompt.replaceAll("\0", ""),
    "{prompt_file}": `${task.home}/${path}`,
    "{model}": task.model ?? "",
  }
  const all = [...args, ...(task.model === null ? [] : (model ?? []))]
  return {
    file,
    args: all.map((text) => (Object.hasOwn(values, text) ? (values[text] ?? "") : text)),
    env: {
      ...env,
      ...(key && apiKey && { [key]: apiKey }),
      ...(task.tools && { [TOOLS_URL_VARIABLE]: task.tools.bareUrl, [TOOLS_TOKEN_VARIABLE]: task.tools.token }),
    },
    homeFiles: all.includes("{prompt_file}") ? [{ path, content: task.prompt }] : [],
  }
}
