interface AgentClass {
  new (options: { headersTimeout: number; bodyTimeout: number }): object
}

/**
 * Creates Node's fetch without its own limits, which would end a call after 300 seconds without a byte, while a model
 * on a small machine reads its prompt. The caller has its own limits.
 */
export function fetchWithoutTimeouts(Agent: AgentClass | undefined = nodesAgent()): typeof fetch {
  if (Agent === undefined) return fetch
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 })
  return (input, init) => fetch(input, { ...init, dispatcher } as RequestInit)
}

/**
 * Returns the agent class that fetch uses. Node has no other access to it, and the undici package would be another
 * copy.
 */
function nodesAgent(): AgentClass | undefined {
  const shared = globalThis as unknown as Record<symbol, { constructor: AgentClass } | undefined>
  return shared[Symbol.for("undici.globalDispatcher.1")]?.constructor
}
