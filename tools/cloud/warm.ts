/** A stage's containers that wait for sessions; an account starts with six containers in all. */
const MOST = 20

/** Reads how many containers wait on a stage, from WARM_RUNNERS. Throws for what no stage can have. */
export function readWarmRunners(text: string | undefined, { agents }: { agents: boolean }): number {
  const count = parseWarm(text)
  if (count > 0 && !agents) throw new Error("WARM_RUNNERS takes AGENTS=on: only agents work in containers.")
  return count
}

function parseWarm(text = ""): number {
  const count = Number(text || 0)
  if (Number.isInteger(count) && count >= 0 && count <= MOST) return count
  throw new Error(`WARM_RUNNERS is the number of containers that wait for sessions, from 0 to ${MOST}.`)
}
