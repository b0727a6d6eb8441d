import type { Run } from "@switchyard/core/work/runs/schema"

/** One request, and its JSON; throws what `fetch` throws if no answer comes. */
export async function call<T>(url: string, init: RequestInit = {}): Promise<{ status: number; body: T }> {
  const response = await fetch(url, init)
  return { status: response.status, body: (await response.json()) as T }
}

/** Asks for a run, in a session of this name, under a key. */
export function postRun(url: string, request: { session?: string; key?: string; model: string }) {
  const { session, key, model } = request
  const headers = { "content-type": "application/json", ...(key && { "idempotency-key": key }) }
  const body = JSON.stringify({ user_prompt: "Make a list.", workspace_id: session, model })
  return call<Run>(`${url}/v1/runs`, { method: "POST", headers, body })
}
