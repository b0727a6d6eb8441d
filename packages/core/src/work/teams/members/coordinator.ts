import { AppError, isAppError } from "../../../errors.ts"
import type { Message } from "../../../models/provider.ts"
import type { SessionState } from "../../../state.ts"
import { runDurableLoop, type YieldMove } from "../../harness/durable-loop.ts"
import { readConversation } from "../../harness/read-conversation.ts"
import { type RunContext, RunParked, type RunWork } from "../../runs/run-context.ts"
import type { WaitsFor } from "../../runs/schema.ts"
import { readIfThere } from "../files.ts"
import { budgetLeft } from "../node-budget.ts"
import { startable, startNode } from "../node-rules.ts"
import { orThrow, teamOf } from "../refusals.ts"
import { commitResults } from "../repository/commit-results.ts"
import { readRepository } from "../repository/read-files.ts"
import { runsToCancel } from "../runs-to-cancel.ts"
import { COORDINATOR, type TeamAgents, type TeamInput } from "../schema.ts"
import { timeOutStages } from "../stage-rules.ts"
import { timedStages } from "../stages.ts"
import { isProgram, nodesIn, type TeamState, type WorkerState, type WorkNode } from "../state.ts"
import { createMemberHarness, launchingWoken, type TeamDeps } from "../team-context.ts"
import { answerForModel } from "../tools/ask-human.ts"
import { askPerson, settleQuestion } from "../tools/ask-person.ts"
import { coordinatorTools } from "../tools/coordinator-tools.ts"
import type { Member } from "../tools/member.ts"
import { activeTriggers, nextDue } from "../trigger-state.ts"
import { fireDue } from "../triggers/trigger-rules.ts"
import { withMemoryNotice } from "../views/memory-notice.ts"
import { unreadNews } from "../views/news.ts"
import { isReminded, isStuck, REMINDER, stuckQuestion } from "../views/reminder.ts"
import { coordinateByProgram } from "./program-coordinator.ts"
import { settlePrograms } from "./program-results.ts"
import { branchToMerge, programTask } from "./program-task.ts"
import { coordinatorPrompt } from "./prompts.ts"
import { projectText } from "./task-text.ts"

/**
 * Maximum number of model calls before the coordinator parks. Beyond it, the coordinator is considered stuck in a loop.
 */
const MAX_CALLS_A_WAKE = 60

/** Returns the programs and commands that may be added as workers. */
function choicesOf({ agents, commands }: TeamInput): Pick<Member, "agents" | "workerCommands"> {
  return { ...(agents && { agents }), ...(commands?.workers && { workerCommands: commands.workers }) }
}

/**
 * Returns the function that carries out the coordinator's run, which is the team's own run. The coordinator calls its
 * model when there is news, and parks in between. It starts assigned nodes itself, so that they don't have to wait for
 * the model.
 */
export function createCoordinator(deps: TeamDeps): RunWork<TeamInput> {
  return async (given) => {
    const context = launchingWoken(deps, given)
    const messages = await readConversation(deps.blobs, context.history(), context)
    const harness = createMemberHarness(deps, context)
    const member: Member = { deps, context, harness, id: COORDINATOR, messages, ...choicesOf(context.input) }
    const { coordinator } = context.input
    if (coordinator) return coordinateByProgram(member, { coordinator, lookAround, waitsOf, idleMove, withAnswer })
    let calls = 0
    const today = () => new Date(deps.clock.now()).toISOString().slice(0, 10)
    await runDurableLoop({
      ...{ harness, run: context, messages, tools: coordinatorTools(member) },
      async system() {
        const memory = (await readIfThere(deps, context, "memory/MEMORY.md")) ?? ""
        const { team } = context.state()
        const isInfinite = team?.mode === "infinite"
        return coordinatorPrompt({ isInfinite, today: today(), memory })
      },
      async atYieldPoint() {
        const move = withMemoryNotice(await nextMove(member, context.input), messages, today())
        if (move !== "end" && ++calls > MAX_CALLS_A_WAKE) {
          throw new AppError(
            "workflow_error",
            `The coordinator called its model ${MAX_CALLS_A_WAKE} times in a row without waiting.`,
          )
        }
        return move
      },
    })
  }
}

async function nextMove(member: Member, { images }: TeamInput): Promise<YieldMove> {
  const { deps, context, messages } = member
  const team = await lookAround(member)
  if (team === "end") return "end"
  const news = await unreadNews(deps, { sid: context.sid, team, member: COORDINATOR }, context)
  if (news && messages.length > 0) return withAnswer(member, news)
  if (news) return { ...withProject(news, await projectText(deps, context)), images }
  const last = messages.at(-1)
  if (last?.role !== "assistant" && !hasJustFinished(messages)) return "call"
  return idleMove(member, team, async () => (last?.role === "assistant" ? last.content : ""))
}

/** Adds the list of the project's files to the first news message, which contains the goal. */
function withProject<T extends { say: string }>(news: T, project: string | undefined): T {
  return project === undefined ? news : { ...news, say: `${news.say}\n\n${project}` }
}

/**
 * If a person was asked what to do because no work was in progress, adds the answer to the news. Withdraws the question
 * if it is still open.
 */
async function withAnswer<T extends { say: string }>(member: Member, news: T): Promise<T> {
  if (!isReminded(member.messages)) return news
  const answer = await settleQuestion(member)
  return answer ? { ...news, say: `${answerForModel(answer)}\n\n---\n\n${news.say}` } : news
}

/** Does all due work that needs no decision by the coordinator's model. Parks if the team is halted. */
async function lookAround({ deps, context, agents }: Member): Promise<TeamState | "end"> {
  context.beforeStep()
  let team = orThrow(teamOf(await context.catchUp()))
  if (team.finishedSeq !== null) return "end"
  if (team.halted) throw new RunParked(`the team is ${team.halted}`, { team: true })
  await fireWhatIsDue(deps, context, team)
  // After a stage timed out, an executor may have died before it cancelled the runs of the stage's nodes.
  const state = context.state()
  if (runsToCancel(state).length > 0) await deps.afterRun?.({ sid: context.sid, state }, context.runId, context)
  team = orThrow(teamOf(await context.catchUp()))
  await settlePrograms(deps, context, team)
  await readRepository({ deps, context })
  await commitResults({ deps, context })
  team = orThrow(teamOf(await context.catchUp()))
  await startNodes(deps, context, team, agents)
  return orThrow(teamOf(await context.catchUp()))
}

/** Returns true if the last call declared the goal reached. After such a call, an infinite team waits for news. */
function hasJustFinished(messages: readonly Message[]): boolean {
  const [call, result] = messages.slice(-2)
  if (call?.role !== "assistant" || result?.role !== "tool" || result.isError) return false
  return call.toolCalls?.at(-1)?.name === "finish"
}

const TRY_AGAIN_MS = 10_000

/**
 * Parks until something wakes the coordinator. If nothing would ever wake it, reminds it once, and then asks a person.
 */
async function idleMove(member: Member, team: TeamState, lastWords: () => Promise<string>): Promise<{ say: string }> {
  const { deps, messages } = member
  const [running] = nodesIn(team, "running")
  const waits = waitsOf(team, { now: deps.clock.now(), run: running?.runs.at(-1)?.runId })
  if (isStuck(team)) {
    if (!isReminded(messages)) return { say: REMINDER }
    const answer = await askPerson(member, { kind: "text", text: stuckQuestion(await lastWords()) }, waits)
    return { say: answerForModel(answer) }
  }
  throw new RunParked(running ? "its workers are at work" : "it is waiting for a message or a trigger", waits)
}

/**
 * Returns the events and times that wake an idle coordinator. `run` is an active run to check regularly, in case its
 * end goes unnoticed.
 */
function waitsOf(team: TeamState, { now, run }: { now: number; run: string | undefined }): WaitsFor {
  const isStuck = startable(team).length > 0 || nodesIn(team, "running").some(({ interrupted }) => interrupted)
  const soon = isStuck ? [new Date(now + TRY_AGAIN_MS).toISOString()] : []
  const ends = timedStages(team).map(({ endsAt }) => endsAt)
  const until = [...soon, ...ends, nextDue(team.triggers) ?? []].flat().sort()[0]
  const events = activeTriggers(team.triggers).flatMap(({ when }) => (when.type === "on_event" ? when.event : []))
  return { message: true, any_run: true, run, until, events }
}

/** Fires due triggers and times out overdue stages, each exactly once. */
async function fireWhatIsDue(deps: TeamDeps, context: RunContext<unknown>, team: TeamState): Promise<void> {
  const now = deps.clock.now()
  const due = (current: TeamState) => [...fireDue(current, now), ...timeOutStages(current, now)]
  if (due(team).length === 0) return
  await context.decide((state) => {
    const current = teamOf(state)
    return current instanceof AppError ? current : due(current)
  })
}

/**
 * Starts as many assigned nodes as allowed. The batch that creates a run also marks its node as started, so each node
 * starts only once.
 */
async function startNodes(
  deps: TeamDeps,
  context: RunContext<unknown>,
  team: TeamState,
  agents: TeamAgents | undefined,
): Promise<void> {
  for (const nodeId of startable(team)) {
    const node = team.nodes[nodeId]
    const worker = team.workers[node?.workerId ?? ""]
    if (!node || !worker) continue
    const runId = deps.newId("run")
    const alongside = () => (state: SessionState) => {
      const current = teamOf(state)
      return current instanceof AppError ? current : startNode(current, nodeId, runId)
    }
    try {
      const run = await runOfNode(deps, context, team, { node, worker, agents })
      await deps.startInside(context, { ...run, runId, alongside }, context)
    } catch (error) {
      // Another executor started the node first, or too many agents are active. The next wake-up tries again.
      if (!isAppError(error, "run_active") && !isAppError(error, "team_refused")) throw error
    }
  }
}

type NodeWork = { node: WorkNode; worker: WorkerState; agents: TeamAgents | undefined }

async function runOfNode(deps: TeamDeps, context: RunContext<unknown>, team: TeamState, work: NodeWork) {
  const { node, worker } = work
  const budget = budgetLeft(context.state(), node)
  if (isProgram(worker) && work.agents) {
    const assignment = { team, node, worker }
    const task = await programTask(deps, context, assignment)
    const branch = branchToMerge(context.state(), assignment)
    return {
      ...deps.programs.runOf(context.state(), worker, { task, branch, checks: node.checks }, work.agents),
      budget,
    }
  }
  const input = { node_id: node.nodeId, task: node.task }
  const { workerId: agentId, model } = worker
  return { kind: "work_node" as const, model, agentId, input, budget, apiKey: context.apiKey }
}
