import { TaskStatus } from "@switchyard/core/agents/tasks/schema"
import { Session } from "@switchyard/core/sessions/schema"
import type { Api } from "../../api/client.ts"
import { anything } from "../../api/shape.ts"

export interface AskedTask {
  task: string
  /** The session to continue; null for a new one. */
  sessionId: string | null
  /** An account, or an agent's program. */
  agent: string
  /** The repository; null for the session's own files. */
  repository: string | null
  /** Whether the user consents to the agent running commands there. */
  consent: boolean
}

/** Starts an agent's task. Returns the session's id. */
export async function startAgent(api: Api, asked: AskedTask): Promise<string> {
  if (asked.sessionId === null) return startInNewSession(api, asked)
  const id = asked.sessionId
  const body = {
    task_description: asked.task,
    coding_agent: asked.agent,
    project_path: asked.repository,
    consent: asked.consent,
    terminal_rows: 32,
    terminal_cols: 110,
  }
  await api.call("POST /api/v1/sessions/{id}/tasks", { path: { id }, body, answer: TaskStatus })
  return id
}

/** A session that was created for a refused task is deleted again. */
async function startInNewSession(api: Api, asked: AskedTask): Promise<string> {
  const { id } = await api.call("POST /api/v1/sessions", { body: {}, answer: Session })
  try {
    return await startAgent(api, { ...asked, sessionId: id })
  } catch (error) {
    await api.call("DELETE /api/v1/sessions/{id}", { path: { id }, answer: anything }).catch(() => undefined)
    throw error
  }
}
