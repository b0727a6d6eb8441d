/** Maximum number of waiting containers per stage. A new account can run only six containers in total. */
const MOST = 20

/** Parses the number of waiting containers from WARM_RUNNERS. Throws for invalid settings. */
export function readWarmRunners(text: string | undefined, { agents }: { agents: boolean }): number {
  const count = parseWarm(text)
  if (count > 0 && !agents) throw new Error("WARM_RUNNERS needs AGENTS=on, because only agents work in containers.")
  return count
}

function parseWarm(text = ""): number {
  const count = Number(text || 0)
  if (Number.isInteger(count) && count >= 0 && count <= MOST) return count
  throw new Error(`WARM_RUNNERS must be the number of containers kept waiting for sessions, from 0 to ${MOST}.`)
}
