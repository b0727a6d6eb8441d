import { TaskStatus } from "@switchyard/core/agents/tasks/schema"
import { Session } from "@switchyard/core/sessions/schema"
import type { Api } from "../../api/client.ts"
import { anything } from "../../api/shape.ts"

export interface AskedTask {
  task: string
  /** The session to go on in; null for a new one. */
  sessionId: string | null
  /** An account, or the program of an agent. */
  agent: string
  /** Where to work; null for the session's own files. */
  repository: string | null
  /** Whether the agent may act there without asking. */
  consent: boolean
}

/** Gives an agent a task, and says in which session. */
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

/** A session that was made for a task which nobody takes goes again. */
async function startInNewSession(api: Api, asked: AskedTask): Promise<string> {
  const { id } = await api.call("POST /api/v1/sessions", { body: {}, answer: Session })
  try {
    return await startAgent(api, { ...asked, sessionId: id })
  } catch (error) {
    await api.call("DELETE /api/v1/sessions/{id}", { path: { id }, answer: anything }).catch(() => undefined)
    throw error
  }
}
