import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { AgentId } from "@switchyard/core/agents/conversations/schema"
import { commandWorktree } from "@switchyard/core/agents/runner/worktree-commands"
import { Conversation, Milestone, NewTask, TaskStatus } from "@switchyard/core/agents/tasks/schema"
import { describeTask, findTask, readConversation, readMilestones } from "@switchyard/core/agents/tasks/task-view"
import { AppError } from "@switchyard/core/errors"
import { readWorktree } from "@switchyard/core/files/worktrees/latest"
import { MAIN_WORKTREE, WorktreeName } from "@switchyard/core/files/worktrees/names-schema"
import type { SessionHandle } from "@switchyard/core/kernel/session-handle"
import { parseAgentRun } from "@switchyard/core/sessions/requests/agent-request"
import { conflictTask } from "@switchyard/core/sessions/requests/conflict-task"
import { startRun } from "@switchyard/core/sessions/requests/start-run"
import { findUploads } from "@switchyard/core/sessions/uploads"
import { runEnd } from "@switchyard/core/work/runs/follow-run"
import { activeRuns } from "@switchyard/core/work/runs/state"
import type { Context } from "hono"
import type { AppDeps } from "../../deps.ts"
import { principal, protectedOptions } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"
import { SessionId } from "../../http/schemas.ts"
import { createWorktreeCommands } from "../../http/worktree-commands.ts"

const endpoint = endpointsOf("tasks")
const since = z.object({ since_seq: z.coerce.number().int().min(0).max(1e15).default(0) })
const AskAgent = z.object({ consent: NewTask.shape.consent }).openapi("AskAgent")
const Milestones = z
  .object({ milestones: z.array(Milestone), latest_seq: z.int() })
  .openapi("Milestones", { description: "All milestones after `since_seq`" })

export const routes = {
  create: endpoint.post("/api/v1/sessions/{id}/tasks", {
    summary: "Give an agent a task. An agent runs one task at a time, and only one agent at a time works in a worktree",
    request: { params: SessionId, body: jsonBody(NewTask) },
    responses: answers(TaskStatus, "The task", 201),
  }),
  resolveConflicts: endpoint.post("/api/v1/sessions/{id}/worktree/ask-agent", {
    summary: "Ask the worktree's agent to resolve a paused merge's conflicts",
    description:
      "Aborts the merge, and merges its target branch into the worktree instead. The last agent in the worktree then gets the task of resolving the conflicts. Afterwards, the work can be merged without conflicts.",
    request: {
      params: SessionId,
      query: z.object({ worktree: WorktreeName.default(MAIN_WORKTREE) }),
      body: { ...jsonBody(AskAgent), required: false },
    },
    responses: answers(TaskStatus, "The task", 201),
  }),
  get: endpoint.get("/api/v1/sessions/{id}/tasks/{task}", {
    summary: "Get a task's status",
    request: { params: SessionId.extend({ task: z.string().max(100) }) },
    responses: answers(TaskStatus, "The task"),
  }),
  milestones: endpoint.get("/api/v1/sessions/{id}/milestones", {
    summary: "List a session's milestones",
    request: { params: SessionId, query: since },
    responses: answers(Milestones, "The milestones of all tasks in the session"),
  }),
  conversation: endpoint.get("/api/v1/sessions/{id}/conversation", {
    summary: "Get the conversation of a session's latest task, or of an agent's latest task",
    request: { params: SessionId, query: since.extend({ agent_id: AgentId.optional() }) },
    responses: answers(Conversation, "The conversation"),
  }),
}

/** Maximum time that a new task waits for the previous task to stop. Stopping usually takes seconds. */
const STOPS_WITHIN_MS = 5000

/** Serves agents' tasks. */
export function taskRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const commands = createWorktreeCommands(deps)
  const find = (c: Context, id: string) => deps.sessions.find(principal(c).owner, id, options)

  async function untilStopped({ sid, state }: SessionHandle): Promise<void> {
    const enough = AbortSignal.any([deps.stopping, AbortSignal.timeout(STOPS_WITHIN_MS)])
    const stopping = activeRuns(state).filter(({ cancelReason }) => cancelReason !== null)
    await Promise.all(stopping.map((run) => runEnd(deps, sid, run, { signal: enough })))
  }

  async function create(c: Context, id: string, { task_description, project_path, ...asked }: NewTask) {
    const session = await find(c, id)
    const screenshots = await findUploads(deps, session, asked.screenshots, options)
    const named = { ...asked, task: task_description, repository: project_path ?? undefined, screenshots }
    const run = await parseAgentRun(deps, principal(c).owner, named, {
      state: session.state,
      ...protectedOptions(c, deps),
    })
    await untilStopped(session)
    const { sid, sessionId } = session
    const { runId } = await startRun(deps, { ...run, sid, sessionId }, options)
    return status(await find(c, id), runId)
  }

  async function resolveConflicts(c: Context, id: string, consent: boolean) {
    const of = await commands.open(c, id)
    const report = await readWorktree(deps, of.session, { worktree: of.worktree, ...options })
    const { state } = of.session
    const { agentId, program, branch, text } = conflictTask(state, of.worktree, report)
    const coding_agent = program.account ?? program.cli
    const task = NewTask.parse({
      task_description: text,
      coding_agent,
      agent_id: agentId,
      worktree: of.worktree,
      consent,
    })
    const asked = { ...task, coding_model: program.model, coding_reasoning: program.reasoning, merge_branch: branch }
    // Validate the task before the merge is aborted.
    const tried = { ...asked, task: text, repository: undefined, screenshots: [] }
    await parseAgentRun(deps, principal(c).owner, tried, { state, ...protectedOptions(c, deps) })
    const aborting = { commandId: deps.newId("cmd"), command: { command: "abort" as const }, worktree: of.worktree }
    const { answer } = await commandWorktree(deps, of.session, aborting, commands.deadline())
    if (!answer) throw new AppError("worktree_busy", "The merge is still being aborted. Try again in a moment.")
    return create(c, id, asked)
  }

  async function status(session: SessionHandle, taskId: string): Promise<TaskStatus> {
    return describeTask(deps, session, await findTask(deps, session, taskId, options), options)
  }

  return createRoutes()
    .openapi(routes.create, async (c) => c.json(await create(c, c.req.valid("param").id, c.req.valid("json")), 201))
    .openapi(routes.resolveConflicts, async (c) => {
      const { consent } = c.req.valid("json")
      return c.json(await resolveConflicts(c, c.req.valid("param").id, consent), 201)
    })
    .openapi(routes.get, async (c) => {
      const { id, task } = c.req.valid("param")
      return c.json(await status(await find(c, id), task), 200)
    })
    .openapi(routes.milestones, async (c) => {
      const session = await find(c, c.req.valid("param").id)
      const milestones = await readMilestones(deps, session, c.req.valid("query").since_seq, options)
      return c.json({ milestones, latest_seq: session.state.head }, 200)
    })
    .openapi(routes.conversation, async (c) => {
      const session = await find(c, c.req.valid("param").id)
      const { since_seq, agent_id } = c.req.valid("query")
      const about = { since: since_seq, agentId: agent_id, ...options }
      return c.json(await readConversation(deps, session, about), 200)
    })
}
