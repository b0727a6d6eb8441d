import type { Run } from "@switchyard/core/work/runs/schema"

/** Sends a request, and resolves to its status and JSON. Throws a TypeError from `fetch` if no answer comes. */
export async function call<T>(url: string, init: RequestInit = {}): Promise<{ status: number; body: T }> {
  const response = await fetch(url, init)
  return { status: response.status, body: (await response.json()) as T }
}

/** Requests a run in the session of this name, with an idempotency key. */
export function postRun(url: string, request: { session?: string; key?: string; model: string }) {
  const { session, key, model } = request
  const headers = { "content-type": "application/json", ...(key && { "idempotency-key": key }) }
  const body = JSON.stringify({ user_prompt: "Make a list.", workspace_id: session, model })
  return call<Run>(`${url}/v1/runs`, { method: "POST", headers, body })
}
