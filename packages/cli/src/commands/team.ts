import { text } from "node:stream/consumers"
import type { CheckCommands } from "@switchyard/core/work/gate/schema"
import { Board, Team, Teams } from "@switchyard/core/work/teams/request-schema"
import type { Cli } from "../cli.ts"
import { checkTarget } from "../downloads/unpack.ts"
import { UsageError } from "../errors/errors.ts"
import { EXIT } from "../errors/exit.ts"
import { type BudgetOptions, budgetIn } from "../input/option-values.ts"
import { followToEnd, type WatchOptions } from "./follow-to-end.ts"
import { type ImageOption, imagesOf } from "./request-images.ts"

export interface TeamOptions extends WatchOptions, BudgetOptions, ImageOption {
  workspace?: string
  model?: string
  atOnce?: number
  infinite?: boolean
  agent?: string[]
  workerCommand?: string[]
  workerTimeout?: number
  workerNetwork?: boolean
  coordinator?: string
  repository?: string
  verify?: boolean
  consent?: boolean
}

/**
 * Gives a goal to a team, and shows the coordinator's work until it ends. Then downloads the files and shows the board.
 */
export async function team(cli: Cli, given: string | undefined, options: TeamOptions): Promise<number> {
  const { api, terminal } = cli
  const { second: signal } = cli.interrupts
  const { out, force = false, detach, workspace, model, atOnce, infinite } = options
  if (given === undefined) throw new UsageError("The goal is missing.")
  if (detach && out) throw new UsageError("--out can't be used with --detach, which exits before there are any files.")
  if (out) await checkTarget(out, { merge: force })
  const goal = await words(given, "goal")
  const mode = infinite ? ("infinite" as const) : undefined
  const about = {
    goal,
    ...(await imagesOf(cli, options, workspace)),
    model,
    mode,
    budget: budgetIn(options),
    ...programs(options),
    ...commands(options),
  }
  const body = { ...about, ...(atOnce !== undefined && { max_concurrent: atOnce }) }
  // Idempotent: retries with the same key don't start a second team.
  const headers = { "idempotency-key": cli.newKey() }
  const started = await api.ask("POST /api/v1/teams", Team, { body, headers, signal })
  if (detach) {
    terminal.show(started, started.id)
    return EXIT.done
  }
  if (!terminal.json) terminal.line({ who: "team", text: `${started.id}, ${started.model}`, tone: "plain" })
  const code = await followToEnd(cli, await api.run(started.run_id, { signal }), options)
  await show(cli, api.ask("GET /api/v1/teams/{id}/board", Board, { path: { id: started.id }, signal }))
  return code
}

/** Returns the fields of the request that describe the workers' programs and the repository. */
function programs({ agent, coordinator, repository, verify, consent }: TeamOptions) {
  if (agent === undefined && verify !== undefined) throw new UsageError("--verify needs --agent.")
  return { coordinator, consent, project_path: repository, ...(agent && { coding_agents: agent, verify }) }
}

/** Returns the fields of the request that describe the workers' commands. */
function commands({ workerCommand, workerTimeout: timeout_seconds, workerNetwork: network }: TeamOptions) {
  if (workerCommand === undefined && (timeout_seconds ?? network) !== undefined)
    throw new UsageError("--worker-timeout and --worker-network need --worker-command.")
  if (workerCommand === undefined) return {}
  const worker_commands = workerCommand.map((given) => {
    const [, name = "", command = ""] = /^([^=]+)=(.+)$/s.exec(given) ?? []
    if (name === "")
      throw new UsageError(
        `--worker-command needs a name and a command, such as tables="make tables", but got ${given}.`,
      )
    return { name, command, timeout_seconds, network }
  })
  return { worker_commands }
}

export async function listTeams({ api, terminal }: Cli): Promise<void> {
  for (let before: string | undefined; ; ) {
    const { teams, next } = await api.ask("GET /api/v1/teams", Teams, { query: { before } })
    for (const one of teams) terminal.show(one, `${one.id}  ${one.status}  ${one.model}  ${one.goal}`)
    if (next === null) return
    before = next
  }
}

export function teamStatus(cli: Cli, id: string): Promise<void> {
  return show(cli, cli.api.ask("GET /api/v1/teams/{id}/board", Board, { path: { id } }))
}

/** Sends a message to a team member. Not idempotent: if the reply is lost, a retry may send the message twice. */
export async function sayToTeam(cli: Cli, id: string, message: string, { to }: { to: string }): Promise<void> {
  const body = { message: await words(message, "message"), to }
  const { second: signal } = cli.interrupts
  return show(cli, cli.api.ask("POST /api/v1/teams/{id}/send", Board, { path: { id }, body, signal }))
}

export function changeTeam(cli: Cli, id: string, to: "pause" | "resume" | "stop"): Promise<void> {
  const { second: signal } = cli.interrupts
  return show(cli, cli.api.ask(`POST /api/v1/teams/{id}/${to}`, Board, { path: { id }, signal }))
}

/** Adds a node to a team's board. If the node has no ID and the reply is lost, a retry may add a second node. */
export async function addNode(
  cli: Cli,
  teamId: string,
  task: string,
  about: { id?: string; after?: string[]; stage?: string } & CheckCommands,
): Promise<void> {
  const { id, after: dependencies = [], stage, ...named } = about
  const checks = Object.keys(named).length > 0 ? named : undefined
  const body = { task: await words(task, "task"), id, dependencies, stage, checks }
  const { second: signal } = cli.interrupts
  return show(cli, cli.api.ask("POST /api/v1/teams/{id}/nodes", Board, { path: { id: teamId }, body, signal }))
}

export function addWorker(
  cli: Cli,
  id: string,
  name: string,
  role: string,
  { command }: { command?: string },
): Promise<void> {
  const asked = { path: { id }, body: { name, role, command }, signal: cli.interrupts.second }
  return show(cli, cli.api.ask("POST /api/v1/teams/{id}/workers", Board, asked))
}

export function assignNode(cli: Cli, id: string, node: string, worker: string): Promise<void> {
  const asked = { path: { id, node }, body: { worker }, signal: cli.interrupts.second }
  return show(cli, cli.api.ask("POST /api/v1/teams/{id}/nodes/{node}/assign", Board, asked))
}

/** Moves a node on a team's board before another node, or to the end of the board. */
export function moveNode(
  cli: Cli,
  id: string,
  node: string,
  { before = null }: { before?: string | null },
): Promise<void> {
  const asked = { path: { id, node }, body: { before }, signal: cli.interrupts.second }
  return show(cli, cli.api.ask("POST /api/v1/teams/{id}/nodes/{node}/move", Board, asked))
}

export function retryNode(cli: Cli, id: string, node: string): Promise<void> {
  const { second: signal } = cli.interrupts
  return show(cli, cli.api.ask("POST /api/v1/teams/{id}/nodes/{node}/retry", Board, { path: { id, node }, signal }))
}

async function show({ terminal }: Pick<Cli, "terminal">, answer: Promise<Board>): Promise<void> {
  const board = await answer
  const { team, nodes, workers } = board
  const lines = nodes.map(({ id, status, assigned_worker, task, result }) => {
    const worker = workers.find((one) => one.id === assigned_worker)?.name ?? "-"
    return `  ${id.padEnd(12)}  ${status.padEnd(9)}  ${worker.padEnd(12)}  ${result ?? task}`
  })
  terminal.show(board, `${team.id}  ${team.status}  ${team.model}  ${team.goal}`, ...lines)
}

async function words(given: string, name: string): Promise<string> {
  const content = given === "-" ? await text(process.stdin) : given
  if (!content.trim()) throw new UsageError(`The ${name} is empty.`)
  return content
}
