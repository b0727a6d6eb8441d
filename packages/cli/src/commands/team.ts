import { text } from "node:stream/consumers"
import type { CheckCommands } from "@switchyard/core/work/gate/schema"
import type { Board } from "@switchyard/core/work/teams/request-schema"
import type { Cli } from "../cli.ts"
import { checkTarget } from "../downloads/unpack.ts"
import { UsageError } from "../errors/errors.ts"
import { EXIT } from "../errors/exit.ts"
import { type BudgetOptions, budgetIn } from "../input/option-values.ts"
import type { Terminal } from "../output/terminal.ts"
import { followToEnd, type WatchOptions } from "./follow-to-end.ts"

export interface TeamOptions extends WatchOptions, BudgetOptions {
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

/** Gives a goal to a team, shows its coordinator's work until the end, downloads the files, and shows the board. */
export async function team(cli: Cli, given: string | undefined, options: TeamOptions): Promise<number> {
  const { api, terminal, interrupts } = cli
  const { out, force = false, detach, workspace, model, atOnce, infinite } = options
  if (given === undefined) throw new UsageError("The goal is missing.")
  if (detach && out) throw new UsageError("--detach exits before there are files for --out.")
  if (out) await checkTarget(out, { merge: force })
  const goal = await words(given, "goal")
  const mode = infinite ? ("infinite" as const) : undefined
  const about = {
    goal,
    workspace_id: workspace,
    model,
    mode,
    budget: budgetIn(options),
    ...programs(options),
    ...commands(options),
  }
  const body = { ...about, ...(atOnce !== undefined && { max_concurrent: atOnce }) }
  const started = await api.startTeam(body, { idempotencyKey: cli.newKey(), signal: interrupts.second })
  if (detach) {
    if (terminal.json) terminal.printJson(started)
    else terminal.print(started.id)
    return EXIT.done
  }
  if (!terminal.json) terminal.line({ who: "team", text: `${started.id}, ${started.model}`, tone: "plain" })
  const code = await followToEnd(cli, await api.run(started.run_id, { signal: interrupts.second }), options)
  show(terminal, await api.board(started.id, { signal: interrupts.second }))
  return code
}

/** Returns the programs for workers and the repository, as fields of a request. */
function programs({ agent, coordinator, repository, verify, consent }: TeamOptions) {
  if (agent === undefined && verify !== undefined) throw new UsageError("--verify needs --agent.")
  return { coordinator, consent, project_path: repository, ...(agent && { coding_agents: agent, verify }) }
}

/** Returns the commands for workers, as fields of a request. */
function commands({ workerCommand, workerTimeout: timeout_seconds, workerNetwork: network }: TeamOptions) {
  if (workerCommand === undefined && (timeout_seconds ?? network) !== undefined)
    throw new UsageError("--worker-timeout and --worker-network need --worker-command.")
  if (workerCommand === undefined) return {}
  const worker_commands = workerCommand.map((given) => {
    const [, name = "", command = ""] = /^([^=]+)=(.+)$/s.exec(given) ?? []
    if (name === "")
      throw new UsageError(
        `--worker-command takes a name and a command, for example tables="make tables", not ${given}.`,
      )
    return { name, command, timeout_seconds, network }
  })
  return { worker_commands }
}

export async function listTeams({ api, terminal, interrupts }: Cli): Promise<number> {
  for (let before: string | undefined; ; ) {
    const { teams, next } = await api.teams({ before, signal: interrupts.first })
    if (terminal.json) for (const one of teams) terminal.printJson(one)
    else for (const { id, status, model, goal } of teams) terminal.print(`${id}  ${status}  ${model}  ${goal}`)
    if (next === null) return EXIT.done
    before = next
  }
}

export async function teamStatus(cli: Cli, teamId: string): Promise<number> {
  show(cli.terminal, await cli.api.board(teamId, { signal: cli.interrupts.first }))
  return EXIT.done
}

/** Sends a message to a member of a team. */
export async function sayToTeam(
  cli: Cli,
  teamId: string,
  { message, to }: { message: string; to: string },
): Promise<number> {
  const content = await words(message, "message")
  show(cli.terminal, await cli.api.sayToTeam(teamId, { message: content, to }, { signal: cli.interrupts.second }))
  return EXIT.done
}

/** Pauses, stops or resumes a team. */
export async function changeTeam(cli: Cli, teamId: string, to: "pause" | "resume" | "stop"): Promise<number> {
  const { api, terminal, interrupts } = cli
  const calls = { pause: api.pauseTeam, resume: api.resumeTeam, stop: api.stopTeam }
  show(terminal, await calls[to](teamId, { signal: interrupts.second }))
  return EXIT.done
}

/** Adds a node to a team's board. */
export async function addNode(
  cli: Cli,
  teamId: string,
  { task, ...about }: { task: string; id?: string; after?: string[]; stage?: string } & CheckCommands,
): Promise<number> {
  const { id, after: dependencies = [], stage, ...named } = about
  const checks = Object.keys(named).length > 0 ? named : undefined
  const node = { task: await words(task, "task"), id, dependencies, stage, checks }
  show(cli.terminal, await cli.api.addNode(teamId, node, { signal: cli.interrupts.second }))
  return EXIT.done
}

export async function addWorker(
  cli: Cli,
  teamId: string,
  worker: { name: string; role: string; command?: string },
): Promise<number> {
  show(cli.terminal, await cli.api.addWorker(teamId, worker, { signal: cli.interrupts.second }))
  return EXIT.done
}

/** Assigns a node of a team to a worker. */
export async function assignNode(cli: Cli, teamId: string, of: { node: string; worker: string }): Promise<number> {
  show(cli.terminal, await cli.api.assignNode({ teamId, ...of }, { signal: cli.interrupts.second }))
  return EXIT.done
}

/** Moves a node of a team before another, or to the end of the board. */
export async function moveNode(cli: Cli, teamId: string, of: { node: string; before: string | null }): Promise<number> {
  show(cli.terminal, await cli.api.moveNode({ teamId, ...of }, { signal: cli.interrupts.second }))
  return EXIT.done
}

/** Retries a failed node of a team. */
export async function retryNode(cli: Cli, teamId: string, node: string): Promise<number> {
  show(cli.terminal, await cli.api.retryNode({ teamId, node }, { signal: cli.interrupts.second }))
  return EXIT.done
}

function show(terminal: Terminal, board: Board): void {
  if (terminal.json) {
    terminal.printJson(board)
    return
  }
  const { team, nodes, workers } = board
  terminal.print(`${team.id}  ${team.status}  ${team.model}  ${team.goal}`)
  for (const { id, status, assigned_worker, task, result } of nodes) {
    const worker = workers.find((one) => one.id === assigned_worker)?.name ?? "-"
    terminal.print(`  ${id.padEnd(12)}  ${status.padEnd(9)}  ${worker.padEnd(12)}  ${result ?? task}`)
  }
}

async function words(given: string, name: string): Promise<string> {
  const content = given === "-" ? await text(process.stdin) : given
  if (!content.trim()) throw new UsageError(`The ${name} is empty.`)
  return content
}
