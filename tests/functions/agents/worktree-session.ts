import type { Call, TestServer } from "../server.ts"

/** Opens a new session, or the session `known`, and returns calls for its tasks and its worktree. */
export async function openSession(server: TestServer, repository?: string, known?: string) {
  const json = repository ? { repository } : {}
  const id = known ?? (await server.call("POST", "/api/v1/sessions", { json })).body.id
  return {
    id: id as string,
    /** Gives the mock agent a task and resolves to the ended run. */
    async task(knobs: object) {
      const task_description = `Do it. mock: ${JSON.stringify(knobs)}`
      const json = { coding_agent: "mock", task_description }
      const given = await server.call("POST", `/api/v1/sessions/${id}/tasks`, { json })
      return server.ended(given.body.task_id)
    },
    ask: (method: string, path = "", call?: Call) =>
      server.settled(method, `/api/v1/sessions/${id}/worktree${path}`, call),
    /** Edits a file like the studio's editor. */
    edit: (path: string, content: string) =>
      server.call("PUT", "/workspace/file", { json: { path, content, workspace_id: id } }),
    /** Returns the texts of the session's files by path. */
    files: async (): Promise<Record<string, string>> =>
      (await server.call("GET", `/workspace/files?workspace_id=${id}`)).body.files,
    /** Returns all events of the session, across pages. */
    async events() {
      const all: { type: string; seq: number; [field: string]: unknown }[] = []
      for (;;) {
        const at = `/api/v1/sessions/${id}/events?limit=1000&since_seq=${all.at(-1)?.seq ?? 0}`
        const { events } = (await server.call("GET", at)).body
        if (events.length === 0) return all
        all.push(...events)
      }
    },
  }
}
