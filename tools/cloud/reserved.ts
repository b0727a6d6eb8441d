/** Functions whose concurrency can be reserved, in the order shown to people. */
const FUNCTIONS = ["api", "stream", "worker", "sweep"] as const

export type Reserved = Partial<Record<(typeof FUNCTIONS)[number], number>>

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
      if (FUNCTIONS.some((each) => each === name)) return [name, Number(count)]
      throw new Error(
        `RESERVED_CONCURRENCY contains "${part}". It must be a list such as api=50,sweep=2; possible functions are ${FUNCTIONS}.`,
      )
    }),
  )
}

export function totalOf(reserved: Reserved): number {
  return Object.values(reserved).reduce((sum, count) => sum + count, 0)
}
