interface AgentClass {
  new (options: { headersTimeout: number; bodyTimeout: number }): object
}

/**
 * Node's fetch without its own limits: it would end a call after 300 seconds without a byte, while a model on a small machine
 * reads its prompt. The caller has limits of its own.
 */
export function createUnhurriedFetch(Agent: AgentClass | undefined = nodesAgent()): typeof fetch {
  if (Agent === undefined) return fetch
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 })
  return (input, init) => fetch(input, { ...init, dispatcher } as RequestInit)
}

/** The class of the agent that fetch uses. Node has no other way to it; the package that it comes from is another copy. */
function nodesAgent(): AgentClass | undefined {
  const shared = globalThis as unknown as Record<symbol, { constructor: AgentClass } | undefined>
  return shared[Symbol.for("undici.globalDispatcher.1")]?.constructor
}
