/** Functions whose concurrency can be reserved, in the order shown to people. A stage may lack the last five. */
const FUNCTIONS = [
  ...["api", "stream", "worker", "sweep", "preview"],
  ...["credentials", "logins", "slots", "socket", "pump"],
]

/** Reserved concurrency of each function, by its name. */
export type Reserved = Record<string, number>

/** Concurrency that AWS keeps for functions without a reservation. AWS refuses deployments that leave less. */
export const ALWAYS_UNRESERVED = 100

/**
 * Parses `api=50,sweep=2`: the reserved concurrency of functions, which is also their maximum. Throws for anything
 * else.
 */
export function parseReserved(text = ""): Reserved {
  const parts = text.split(",").flatMap((part) => part.trim() || [])
  return Object.fromEntries(
    parts.map((part) => {
      const [, name = "", count = ""] = /^(\w+)\s*=\s*([1-9]\d{0,4})$/.exec(part) ?? []
      if (FUNCTIONS.includes(name)) return [name, Number(count)]
      throw new Error(
        `RESERVED_CONCURRENCY contains "${part}". It must be a list such as api=50,sweep=2; possible functions are ${FUNCTIONS.join()}.`,
      )
    }),
  )
}

export function totalOf(reserved: Reserved): number {
  return Object.values(reserved).reduce((sum, count) => sum + count, 0)
}

/** Shares of the available concurrency for functions that one person can occupy for minutes. The rest is for the others. */
const SHARES = { worker: 0.3, preview: 0.05, stream: 0.4 }
const WITH_SOCKETS = { ...SHARES, stream: 0.2, pump: 0.2 }

/**
 * Returns a value for RESERVED_CONCURRENCY that keeps open tabs and runs from starving the other functions. Returns
 * undefined if too little is available to reserve anything useful.
 */
export function suggestReserved(atOnce: number, { sockets }: { sockets: boolean }): string | undefined {
  const shares = Object.entries(sockets ? WITH_SOCKETS : SHARES).map(([name, share]) => ({
    name,
    count: Math.floor(share * atOnce),
  }))
  const total = shares.reduce((sum, { count }) => sum + count, 0)
  if (total + ALWAYS_UNRESERVED > atOnce) return undefined
  return shares.map(({ name, count }) => `${name}=${count}`).join()
}
