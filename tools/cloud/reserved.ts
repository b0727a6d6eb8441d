/** Functions with optional reserved concurrency, in a natural order for people. */
const FUNCTIONS = ["api", "stream", "worker", "sweep"] as const

export type Reserved = Partial<Record<(typeof FUNCTIONS)[number], number>>

/** Concurrency that AWS keeps for functions without a reservation. It refuses a deployment that leaves less. */
export const ALWAYS_UNRESERVED = 100

/** Reads `api=50,sweep=2`: the reserved and maximum concurrency of functions. Throws for anything else. */
export function parseReserved(text = ""): Reserved {
  const parts = text.split(",").flatMap((part) => part.trim() || [])
  return Object.fromEntries(
    parts.map((part) => {
      const [, name = "", count = ""] = /^(\w+)\s*=\s*([1-9]\d{0,4})$/.exec(part) ?? []
      if (FUNCTIONS.some((each) => each === name)) return [name, Number(count)]
      throw new Error(`RESERVED_CONCURRENCY has "${part}". It must be a list such as api=50,sweep=2, of ${FUNCTIONS}.`)
    }),
  )
}

export function totalOf(reserved: Reserved): number {
  return Object.values(reserved).reduce((sum, count) => sum + count, 0)
}
