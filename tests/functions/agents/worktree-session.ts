import type { Call, TestServer } from "../server.ts"

/** A session, be it a new one or one that there is, and how its tasks and its worktree are asked for. */
export async function openSession(server: TestServer, repository?: string, known?: string) {
  const json = repository ? { repository } : {}
  const id = known ?? (await server.call("POST", "/api/v1/sessions", { json })).body.id
  return {
    id: id as string,
    /** Has the mock agent do this, and resolves to the task's end. */
    async task(knobs: object) {
      const task_description = `Do it. mock: ${JSON.stringify(knobs)}`
      const json = { coding_agent: "mock", task_description }
      const given = await server.call("POST", `/api/v1/sessions/${id}/tasks`, { json })
      return server.ended(given.body.task_id)
    },
    ask: (method: string, path = "", call?: Call) =>
      server.settled(method, `/api/v1/sessions/${id}/worktree${path}`, call),
    /** As somebody does with the editor. */
    edit: (path: string, content: string) =>
      server.call("PUT", "/workspace/file", { json: { path, content, workspace_id: id } }),
    /** The session's files: their texts by path. */
    files: async (): Promise<Record<string, string>> =>
      (await server.call("GET", `/workspace/files?workspace_id=${id}`)).body.files,
    /** All events of the session, however many pages they take. */
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
