import { AppError } from "../../../errors.ts"
import type { NewEvent } from "../../../events.ts"
import type { Message } from "../../../models/provider.ts"
import { applyCall, extended, resultText } from "../../harness/durable-loop.ts"
import type { DurableTool } from "../../harness/durable-tools.ts"
import { RunParked } from "../../runs/run-context.ts"
import type { WaitsFor } from "../../runs/schema.ts"
import { activeRun } from "../../runs/state.ts"
import type { CoordinatorState } from "../coordinator-state.ts"
import { readIfThere } from "../files.ts"
import { orThrow, teamOf } from "../refusals.ts"
import { COORDINATOR, type TeamCoordinator } from "../schema.ts"
import type { TeamState } from "../state.ts"
import type { Member, MemberRun } from "../tools/member.ts"
import { GOAL_REACHED, programCoordinatorTools } from "../tools/program-coordinator-tools.ts"
import { readEvents, unreadNews } from "../views/news.ts"
import { programCoordinatorPrompt } from "./prompts.ts"

interface Coordination {
  coordinator: TeamCoordinator
  lookAround(member: Member): Promise<TeamState | "end">
  waitsOf(team: TeamState, about: { now: number; run: string | undefined }): WaitsFor
  idleMove(member: Member, team: TeamState, lastWords: () => Promise<string>): Promise<Words>
  withAnswer(member: Member, news: Words): Promise<Words>
}

/**
 * Lets a program coordinate the team as an agent of the session. Unread events start the program's turns, and the
 * team's run answers the program's tool calls. Between turns, only workers run. If a turn fails, the team fails.
 */
export async function coordinateByProgram(member: Member, coordination: Coordination): Promise<void> {
  const tools = programCoordinatorTools(member)
  for (;;) {
    const team = await coordination.lookAround(member)
    if (team === "end") return untilTurnEnds(member)
    if (!team.coordinator) {
      await join(member, coordination.coordinator)
      continue
    }
    const [call] = team.coordinator.calls
    if (call) await answerCall(member, tools, call)
    else if (team.coordinator.failure !== null) throw failed(team.coordinator)
    else await tell(member, await nextWords(member, { team, agentId: team.coordinator.agentId }, coordination))
  }
}

function failed({ model, failure }: CoordinatorState): AppError {
  return new AppError("workflow_error", `The coordinator, ${model}, failed: ${failure}`)
}

/** After the goal is reached, refuses the program's pending calls and parks until the program's last turn ends. */
async function untilTurnEnds({ context }: Member): Promise<void> {
  await context.decide(({ team }) => {
    const calls = team?.coordinator?.calls ?? []
    return calls.map(({ callId: call_id }) => {
      return { type: "team_tool_answered", call_id, answer: GOAL_REACHED, is_error: true }
    })
  })
  const state = await context.catchUp()
  const turn = state.team?.coordinator && activeRun(state, state.team.coordinator.agentId)
  if (turn) throw new RunParked("its coordinator is finishing its turn", { run: turn.runId })
}

async function join({ deps, context, agents, workerCommands = [] }: Member, program: TeamCoordinator): Promise<void> {
  const agentId = deps.newId("agt")
  const workerTypes = [...(agents?.choices ?? []), ...workerCommands].map(({ name }) => name)
  await context.decide((state) => deps.programs.join(state, { agentId, program, workerTypes }))
}

/**
 * Answers a tool call. The call's effect and its answer are appended in one batch, so that no successor repeats the
 * call.
 */
async function answerCall(
  { deps, context }: Member,
  tools: DurableTool[],
  { callId, name, seq }: CoordinatorState["calls"][number],
): Promise<void> {
  const [called] = await readEvents(deps, context.sid, [seq], context)
  if (called?.type !== "team_tool_called") throw new AppError("internal_error", "A tool call is missing from the log.")
  const rawArguments = String(called.args)
  const call = { id: callId, name, args: JSON.parse(rawArguments), rawArguments }
  await applyCall({ run: context, tools }, call, {
    step: `call-${callId}`,
    eventsFor(decided): NewEvent[] {
      const isError = decided instanceof AppError
      const answered = { call_id: callId, answer: resultText(decided), is_error: isError }
      return [...(isError ? [] : (decided.events ?? [])), { type: "team_tool_answered", ...answered }]
    },
  })
}

interface Words {
  say: string
  tells?: number[]
}

/**
 * Returns the next message to the program. Parks if there is no message, or if a turn of the program is in progress.
 */
async function nextWords(
  member: Member,
  { team, agentId }: { team: TeamState; agentId: string },
  { waitsOf, idleMove, withAnswer }: Coordination,
): Promise<Words> {
  const { deps, context } = member
  const now = deps.clock.now()
  const turn = activeRun(context.state(), agentId)
  // Programs don't read messages during a turn. A queued message would start another turn, even after `finish`.
  if (turn) throw new RunParked("its coordinator is at work", waitsOf(team, { now, run: turn.runId }))
  const news = await unreadNews(deps, { sid: context.sid, team, member: COORDINATOR }, context)
  if (news) return withAnswer(member, news)
  return idleMove(member, team, () => lastWordsOf(member, agentId))
}

/** Returns the program's last text in its newest turn. */
async function lastWordsOf({ context }: MemberRun, agentId: string): Promise<string> {
  const runs = Object.values(context.state().runs.byId).filter((run) => run.agentId === agentId)
  const [newest] = runs.sort((one, other) => other.firstSeq - one.firstSeq)
  let words = ""
  for await (const event of newest ? context.history(newest) : []) {
    if (event.type !== "assistant_message" || event.parent_tool_call_id !== undefined) continue
    const said = Array.isArray(event.blocks) ? event.blocks.filter(({ kind }) => kind === "text") : []
    words = said.map(({ content }) => content).join("\n\n") || words
  }
  return words
}

/** Adds a message to the conversation and, in the same batch, to the program's queue for its next turn. */
async function tell({ deps, context, messages }: Member, { say, tells }: Words): Promise<void> {
  const content = messages.length > 0 ? say : `${await firstWords({ deps, context })}\n\n---\n\n${say}`
  const message: Message = { role: "user", content }
  const messageId = deps.newId("msg")
  const told = await context.decide((state) => {
    const { coordinator } = orThrow(teamOf(state))
    // A person's message may have started a turn in the meantime. If so, this message waits until that turn ends.
    if (!coordinator || activeRun(state, coordinator.agentId)) return []
    const queued = { agent_id: coordinator.agentId, message_id: messageId, content, source: "team" }
    return [extended([message], tells), { type: "agent_message_queued", ...queued }]
  })
  if (told.length > 0) messages.push(message)
}

async function firstWords({ deps, context }: MemberRun): Promise<string> {
  const memory = (await readIfThere(deps, context, "memory/MEMORY.md")) ?? ""
  const isInfinite = context.state().team?.mode === "infinite"
  const today = new Date(deps.clock.now()).toISOString().slice(0, 10)
  return programCoordinatorPrompt({ isInfinite, today, memory })
}
