interface AgentClass {
  new (options: { headersTimeout: number; bodyTimeout: number }): object
}

/**
 * Creates a `fetch` without Node's built-in timeouts. Those timeouts end a call after 300 seconds without a byte, but a
 * model on a small machine may take that long to read its prompt. The caller sets its own timeouts.
 */
export function fetchWithoutTimeouts(Agent: AgentClass | undefined = nodesAgent()): typeof fetch {
  if (Agent === undefined) return fetch
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 })
  return (input, init) => fetch(input, { ...init, dispatcher } as RequestInit)
}

/**
 * Returns the undici `Agent` class that Node's own fetch uses. Node doesn't export the class, and the undici package
 * would be a second copy of it.
 */
function nodesAgent(): AgentClass | undefined {
  const shared = globalThis as unknown as Record<symbol, { constructor: AgentClass } | undefined>
  return shared[Symbol.for("undici.globalDispatcher.1")]?.constructor
}
