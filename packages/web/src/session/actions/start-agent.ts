import type { NewTask } from "@switchyard/core/agents/tasks/schema"
import type { WorkBudgetChange } from "@switchyard/core/people/budget/schema"
import type { Api } from "../../api/client.ts"
import { anything, object, text } from "../../api/decode.ts"

export interface TaskRequest {
  task: string
  /** Session to continue; null for a new one. */
  sessionId: string | null
  /** An account, or an agent program. */
  agent: string
  /** Repository; null for the session's own files. */
  repository: string | null
  /** Existing branch of the repository to work on. */
  branch?: string | undefined
  /** Whether to continue the latest session of the agent's program in the user's own home folder. */
  resumesLatest?: boolean
  /** The run that this task follows, by the same agent in the same worktree. */
  of?: { agentId: string; worktree: string }
  /** Permissions that the agent has without asking. If undefined, its mode is unchanged. */
  mode?: NewTask["mode"]
  /** Whether the task is verified. If undefined, other settings decide. */
  verify?: boolean | undefined
  /** Agent that reviews the work once its checks have passed. */
  reviewer?: string | undefined
  /** Maximum that the session may use, if the task starts one. */
  budget?: WorkBudgetChange | undefined
  /** Whether the user consents to the agent running commands in that folder. */
  consent: boolean
}

/** Starts an agent's task. Returns the session ID. */
export async function startAgent(api: Api, request: TaskRequest): Promise<string> {
  if (request.sessionId === null) return startInNewSession(api, request)
  const id = request.sessionId
  const body = { ...fieldsOf(request), task_description: request.task, project_path: request.repository }
  await api.call("POST /api/v1/sessions/{id}/tasks", { path: { id }, body, response: anything })
  return id
}

/** If the task is refused, no session remains. */
async function startInNewSession(api: Api, request: TaskRequest): Promise<string> {
  const { task: user_prompt, repository, budget } = request
  const body = { ...fieldsOf(request), kind: "agent" as const, user_prompt, repository, budget }
  const { workspace_id } = await api.call("POST /v1/runs", { body, response: object({ workspace_id: text }) })
  return workspace_id
}

function fieldsOf(request: TaskRequest) {
  return {
    coding_agent: request.agent,
    agent_id: request.of?.agentId,
    worktree: request.of?.worktree,
    branch: request.branch,
    resume_session: request.resumesLatest ? ("latest" as const) : undefined,
    mode: request.mode,
    verify: request.verify,
    verification_agent: request.reviewer,
    consent: request.consent,
    terminal_rows: 32,
    terminal_cols: 110,
  }
}
