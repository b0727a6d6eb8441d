import * as z from "zod"
import { AppError } from "../../../errors.ts"
import type { NewEvent } from "../../../events.ts"
import { demoModelName } from "../../../models/providers/scripted.ts"
import { formatCount } from "../../../text/format.ts"
import { type DurableTool, defineDurableTool, type Effect } from "../../harness/durable-tools.ts"
import { applicable, currentFiles, publishedChanges } from "../files.ts"
import { assignNode, finishRefusal, reopenNode } from "../node-rules.ts"
import { resultsOf } from "../project.ts"
import { orThrow, refused, teamOf } from "../refusals.ts"
import { commitResults } from "../repository/commit-results.ts"
import { HARNESSED, StageName, type WorkerCommand } from "../schema.ts"
import { reconvene } from "../stage-rules.ts"
import { stageText } from "../stages.ts"
import type { TeamState } from "../state.ts"
import { spawnCommand, spawnWorker } from "../team-rules.ts"
import { boardText } from "../views/texts.ts"
import { checkResults } from "./check-results.ts"
import { type Member, onBoard } from "./member.ts"
import { mergeWork } from "./merge-work.ts"
import { sharedTools } from "./shared-tools.ts"

export function coordinatorTools(member: Member): DurableTool[] {
  return [...staffTools(member), ...planTools(member), ...sharedTools(member)]
}

function staffTools(member: Member): DurableTool[] {
  const { agents, workerCommands = [] } = member
  const programs = agents?.choices.map(({ name }) => name) ?? []
  const types = [...programs, ...workerCommands.map(({ name }) => name)]
  return [
    defineDurableTool({
      name: "spawn_worker",
      description: "Add a worker to the team, with a unique human name.",
      parameters: z.object({
        name: z.string().max(100),
        role: z.string().max(500),
        type: z
          .enum([HARNESSED, ...types])
          .default(HARNESSED)
          .describe(typeText(programs, workerCommands)),
        max_iterations: z.int().min(1).max(100).default(20).describe("Maximum model calls per node"),
      }),
      run: (worker) => spawn(member, worker),
    }),
    defineDurableTool({
      name: "assign_worker",
      description: "Assign a ready node to an idle worker. It starts as soon as there is room.",
      parameters: z.object({ node_id: z.string(), worker_id: z.string().describe("The worker's id or name") }),
      run: ({ node_id: nodeId, worker_id: worker }) =>
        onBoard(
          (team) => assignNode(team, { nodeId, worker }),
          () => `${nodeId} is assigned.`,
        ),
    }),
  ]
}

function typeText(programs: string[], commands: readonly WorkerCommand[]): string {
  const types = ["`harnessed` is a model that reads and writes files"]
  if (programs.length > 0)
    types.push(`${programs.join(", ")}: a program that works in a checkout of its own, and can run commands there`)
  for (const { name, command } of commands)
    types.push(`${name}: the command \`${command}\`, which finds its task in _task.md`)
  return types.join("; ")
}

function spawn(
  { deps, context, agents, workerCommands }: Member,
  {
    type,
    max_iterations: maxIterations,
    ...about
  }: { name: string; role: string; type: string; max_iterations: number },
): Effect {
  const worker = { workerId: deps.newId("wkr"), ...about, model: context.model, maxIterations }
  const answer = `${about.name} is on the team, as ${worker.workerId}.`
  const command = workerCommands?.find((choice) => choice.name === type)
  const program = agents?.choices.find((choice) => choice.name === type)
  if (command || !program || !agents) {
    return onBoard(
      (team) => {
        if (command) return spawnCommand(team, worker, command)
        return hasOnlyDemo(team, context.model) ? refused(NO_MODEL) : spawnWorker(team, worker)
      },
      () => answer,
    )
  }
  return {
    decide(state) {
      const events = deps.programs.spawn(state, worker, { program, mode: agents.mode })
      return events instanceof AppError ? events : { answer, events }
    },
  }
}

/**
 * Returns true if a real program coordinates the team, but the only model is the demo, which can't do the nodes that
 * the program creates.
 */
function hasOnlyDemo({ coordinator }: TeamState, model: string): boolean {
  return coordinator !== null && model === demoModelName && !/^mock\b/.test(coordinator.model)
}

const NO_MODEL = "This team has no model for a harnessed worker. Use one of the other types."

function planTools({ deps, context }: Member): DurableTool[] {
  return [
    defineDurableTool({
      name: "check_board",
      description: "Look at the board: all nodes and workers.",
      parameters: z.object({}),
      run: () => ({ decide: ({ team }) => (team ? { answer: boardText(team) } : refused("There is no team.")) }),
    }),
    defineDurableTool({
      name: "retry_node",
      description: "Put a failed node back on the board, to be assigned again.",
      parameters: z.object({ node_id: z.string() }),
      run: ({ node_id }) =>
        onBoard(
          (team) => reopenNode(team, node_id),
          () => `${node_id} is pending again.`,
        ),
    }),
    defineDurableTool({
      name: "reconvene",
      description: "Complete a stage after reviewing its results. Assess the results and say what comes next.",
      parameters: z.object({
        assessment: z.string().min(1).max(4000),
        stage: StageName.optional().describe("By default the current stage"),
      }),
      run: ({ assessment, stage }) =>
        onBoard(
          (team) => reconvene(team, stage, assessment),
          (events, team) => reconvenedText(team, events),
        ),
    }),
    defineDurableTool({
      name: "finish",
      description: "Declare the goal reached. The published files of all nodes become part of the project.",
      parameters: z.object({ summary: z.string().min(1).max(4000) }),
      async run({ summary }) {
        const before = await context.catchUp()
        const refusal = finishRefusal(before.team)
        if (refusal) throw refusal
        const team = orThrow(teamOf(before))
        const now = await currentFiles(deps, context)
        const nodeIds = resultsOf(team).map(({ nodeId }) => nodeId)
        const results = publishedChanges(now, nodeIds)
        // If the merges have already begun, the check has run before.
        const faults = team.trainRunId === null ? await checkResults({ deps, context }, results) : 0
        await commitResults({ deps, context }, { again: true })
        await mergeWork({ deps, context })
        const files = results.map(({ path }) => path)
        const answer = finishedText(faults)
        const events = [{ type: "team_finished" as const, summary, files }]
        // In a repository, the merges have already added the results to the project.
        if (team.isInRepository) return { decide: (state) => finishRefusal(state.team) ?? { answer, events } }
        const changes = applicable(now.manifest, results)
        return { answer, changes, events, refusal: (state) => finishRefusal(state.team) }
      },
    }),
  ]
}

function finishedText(faults: number): string {
  return faults === 0 ? "Finished." : `Finished, with ${formatCount(faults, "fault")} left in the files.`
}

const REFLECTION =
  "Before you go on: what went well in this stage, and what didn't? Keep with memory_write, in experiences/, what will be of use to another team."

function reconvenedText(team: TeamState, events: readonly NewEvent[]): string {
  const ended = events.flatMap((event) => (event.type === "stage_reconvened" ? [event.stage] : []))
  const stages = team.stages.filter(({ name }) => ended.includes(name))
  return `Reconvened. ${stages.map((stage) => stageText(team, stage)).join("\n\n")}\n\n${REFLECTION}`
}
