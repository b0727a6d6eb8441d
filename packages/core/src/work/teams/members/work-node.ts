import { AppError, isAppError } from "../../../errors.ts"
import { parseModelName } from "../../../models/names.ts"
import type { Message } from "../../../models/provider.ts"
import { seesImages } from "../../../models/vision.ts"
import type { SessionState } from "../../../state.ts"
import { shownMessage } from "../../../system-faults.ts"
import { environmentSection } from "../../gate/environment.ts"
import type { CheckCommands } from "../../gate/schema.ts"
import { MAX_SAME_REFUSALS, repeatedRefusal } from "../../harness/conversation.ts"
import { runDurableLoop, type YieldMove } from "../../harness/durable-loop.ts"
import { imagesNote } from "../../harness/images.ts"
import { readConversation } from "../../harness/read-conversation.ts"
import { RunHandOver, RunParked, type RunWork } from "../../runs/run-context.ts"
import { isEnded, runOf } from "../../runs/state.ts"
import { writeChange } from "../files.ts"
import { nodeOf, orThrow, teamOf, workerOf } from "../refusals.ts"
import type { WorkNodeInput } from "../schema.ts"
import { iterationsFor } from "../stages.ts"
import type { TeamState, WorkerState } from "../state.ts"
import { createMemberHarness, launchingWoken, type TeamDeps } from "../team-context.ts"
import type { Member } from "../tools/member.ts"
import { checksOfNode } from "../tools/prove-node.ts"
import { workerTools } from "../tools/worker-tools.ts"
import { withMemoryNotice } from "../views/memory-notice.ts"
import { unreadNews } from "../views/news.ts"
import { commandWorker } from "./command-worker.ts"
import { workerPrompt } from "./prompts.ts"
import {
  goalImages,
  type NodeAssignment,
  projectText,
  readTask,
  refTexts,
  resultTexts,
  wholeText,
} from "./task-text.ts"

interface NodeMember extends Member {
  nodeId: string
  /** Number of messages from earlier, failed attempts. */
  failedMessages: number
}

/**
 * Returns the function that carries out a node's run. The function runs the worker's loop until the worker publishes a
 * result. If the worker fails, the function writes notes about the failure.
 */
export function createWorkNode(deps: TeamDeps): RunWork<WorkNodeInput> {
  return async (given) => {
    const context = launchingWoken(deps, given)
    const { node_id: nodeId } = context.input
    const { team, node, worker } = assignmentOf(await context.catchUp(), nodeId)
    const messages: Message[] = []
    let failedMessages = 0
    // A run of an interrupted or failed node continues the conversation of earlier runs.
    for (const [index, run] of node.runs.entries()) {
      if (index === node.failedRuns) failedMessages = messages.length
      messages.push(...(await readConversation(deps.blobs, context.history(run), context)))
    }
    const harness = createMemberHarness(worker.command === null ? deps : withCommand(deps, worker, nodeId), context)
    const member = { deps, context, harness, id: worker.workerId, nodeId, messages, failedMessages }
    try {
      if (node.status === "failed") throw unfinished("The worker gave up on the node.")
      await work(member, worker)
    } catch (error) {
      if (!isLeft(error, context.signal)) await writeFailureNotes(member, team, error)
      throw error
    }
  }
}

/** Returns the dependencies, with a model provider that runs the worker's command. */
function withCommand(deps: TeamDeps, worker: WorkerState, nodeId: string): TeamDeps {
  return { ...deps, openModel: (model) => ({ provider: commandWorker(worker, nodeId), model }) }
}

async function work(member: NodeMember, worker: WorkerState): Promise<void> {
  const { deps, context, harness, messages } = member
  const commands = context.state().team?.commands ?? null
  const today = new Date(deps.clock.now()).toISOString().slice(0, 10)
  const environment = await readEnvironment(member, today)
  await runDurableLoop({
    ...{ harness, run: context, messages, tools: workerTools(member, { commands }) },
    system: async () => workerPrompt(worker, { today, environment }),
    atYieldPoint: async () => withMemoryNotice(await nextMove(member, worker), messages, today),
  })
}

/** Describes where the node's checks run. Undefined for a node without checks. */
async function readEnvironment({ deps, context, nodeId }: NodeMember, today: string): Promise<string | undefined> {
  const { team, node } = assignmentOf(context.state(), nodeId)
  if (node.checks === null) return undefined
  const machine = await deps.checkMachine?.()
  return environmentSection({ machine, commands: checksOfNode(context.state(), team, node.checks), today })
}

async function nextMove(
  { deps, context, messages, nodeId, failedMessages }: NodeMember,
  worker: WorkerState,
): Promise<YieldMove> {
  context.beforeStep()
  const state = await context.catchUp()
  const assignment = assignmentOf(state, nodeId)
  const { team, node } = assignment
  if (node.status !== "running") return "end"
  const coordinator = runOf(state, team.runId)
  if (!coordinator || isEnded(coordinator)) throw new AppError("run_cancelled", "The team has ended.")
  if (team.halted) throw new RunParked(`the team is ${team.halted}`, { team: true })
  const news = await unreadNews(deps, { sid: context.sid, team, member: worker.workerId }, context)
  if (messages.length === 0) {
    const canSee = worker.command === null && seesImages(parseModelName(context.model, "general")) !== false
    const images = canSee ? await goalImages(deps, context, team) : []
    const note = images.length > 0 ? `\n\n${imagesNote(images, "goal")}` : ""
    return { say: (await taskText(deps, context, assignment)) + note, images }
  }
  const iterations = iterationsFor(team, nodeId, worker.maxIterations)
  const attempt = messages.slice(failedMessages)
  if (attempt.length === 0) return { say: againText(nodeId, iterations) }
  if (news) return news
  if (attempt.filter(({ role }) => role === "assistant").length >= iterations) {
    const limit = `${worker.name} made ${iterations} model calls without publishing a result.`
    throw unfinished(limit)
  }
  const refusal = repeatedRefusal(attempt)
  if (refusal !== undefined) {
    const calls = `${worker.name} made the same call ${MAX_SAME_REFUSALS} times in a row, and each was refused.`
    throw unfinished(`${calls} ${refusal.slice(0, MAX_NOTED_CHARS)}`)
  }
  if (messages.at(-1)?.role !== "assistant") return "call"
  return { say: "Continue with a tool. When your result is complete, call publish." }
}

/** Creates an error that counts as the worker's failure, not the server's. */
function unfinished(message: string): AppError {
  const hint = "Run the node again with another worker or more model calls, or split it."
  return new AppError("task_unfinished", message, { hint })
}

function againText(nodeId: string, iterations: number): string {
  return `${nodeId} failed, and is to be done again. If there is a nodes/${nodeId}/failure_notes.md, it says why. Go on from what is there; you have ${iterations} model calls for it.`
}

/** Returns the task with its context and a list of the available files. */
async function taskText(deps: TeamDeps, context: NodeMember["context"], assignment: NodeAssignment): Promise<string> {
  const { nodeId, checks } = assignment.node
  const { spec, refs } = await readTask(deps, context, assignment.node)
  const parts = [
    `Your node is ${nodeId}. The task:\n\n${spec}`,
    await wholeText(deps, context, assignment),
    checks ? checksText(checks) : [],
    await refTexts(deps, context, refs),
    (await projectText(deps, context, nodeId)) ?? [],
    await resultTexts(deps, context, assignment),
  ]
  return parts.flat().join("\n\n")
}

function checksText(checks: CheckCommands): string {
  const lines = Object.entries(checks).map(([name, command]) => `- ${name}: ${command}`)
  return `Your files count as a result only after these commands pass. They run in a clean copy of the project, with your files and the files of earlier nodes:\n${lines.join("\n")}`
}

/** Returns true if the node's work continues after this error, later or on another executor. */
function isLeft(error: unknown, signal: AbortSignal): boolean {
  if (signal.aborted || error instanceof RunParked || error instanceof RunHandOver) return true
  return isAppError(error, "run_superseded") || isAppError(error, "run_cancelled")
}

/** Notes the reason for the node's failure and the worker's last steps, for the next worker on the node. */
async function writeFailureNotes(member: NodeMember, team: TeamState, error: unknown): Promise<void> {
  const { context, nodeId, messages, failedMessages } = member
  const reason = shownMessage(error)
  const task = team.nodes[nodeId]?.task ?? ""
  const steps = lastSteps(messages.slice(failedMessages))
  const notes = `# ${nodeId} failed\n\nTask: ${task}\n\nReason: ${reason}\n${steps && `\n## What was done last\n\n${steps}\n`}`
  const failed = { type: "work_node_failed" as const, node_id: nodeId, reason: reason.slice(0, 1500) }
  await context.commit([writeChange(`nodes/${nodeId}/failure_notes.md`, notes)], "failure", { events: [failed] })
}

function assignmentOf(state: SessionState, nodeId: string): NodeAssignment {
  const team = orThrow(teamOf(state))
  const node = orThrow(nodeOf(team, nodeId))
  return { team, node, worker: orThrow(workerOf(team, node.workerId ?? "")) }
}

/** Number of steps in the notes, and maximum length of each text in them. */
const NOTED_STEPS = 12
const MAX_NOTED_CHARS = 600

/**
 * Lists the last steps of a conversation: the worker's text, its calls, and their results. Leaves out the task itself.
 */
function lastSteps(messages: readonly Message[]): string {
  const steps = messages.slice(1).flatMap((message): string[] => {
    if (message.role === "tool") return [`${message.isError ? "Refused" : "Result"}: ${noted(message.content)}`]
    if (message.role === "user") return [`Told: ${noted(message.content)}`]
    const calls = (message.toolCalls ?? []).map(({ name, rawArguments }) => `Called ${name}: ${noted(rawArguments)}`)
    return [...(message.content.trim() === "" ? [] : [`Said: ${noted(message.content)}`]), ...calls]
  })
  return steps
    .slice(-NOTED_STEPS)
    .map((step) => `- ${step}`)
    .join("\n")
}

/** Returns a text as one line. Shortens a long line by cutting out its middle. */
function noted(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim()
  if (line.length <= MAX_NOTED_CHARS) return line
  return `${line.slice(0, MAX_NOTED_CHARS / 2).toWellFormed()} … ${line.slice(-MAX_NOTED_CHARS / 2).toWellFormed()}`
}
