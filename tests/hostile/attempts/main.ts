import { readFileSync, writeFileSync } from "node:fs"
import { allAttempts } from "./all.ts"
import { bedrockAttempts } from "./bedrock.ts"
import { type Attempt, LIMIT, type Outcome, type Place, type Surroundings } from "./place.ts"

// Runs in an agent's program, makes the attempts, and leaves their outcomes in its worktree.

const [file = "", ...given] = process.argv.slice(2)
const place: Place = JSON.parse(readFileSync(file, "utf8"))

/** Returns the nearest ancestor that is hidden or belongs to root, or process 1 if there is none. */
function runnerAbove(): number {
  for (let pid = process.ppid; pid > 1; ) {
    const status = statusOf(pid)
    // The process is hidden.
    if (status === undefined) return pid
    const [, uid] = /^Uid:\s+(\d+)/m.exec(status) ?? []
    if (Number(uid) === 0) return pid
    pid = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0)
  }
  return 1
}

function statusOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8")
  } catch {
    return undefined
  }
}

/** Returns the gateway's address and token. The addresses of the proxy and of the tools look the same. */
function findGateway(): Surroundings["gateway"] {
  const [, codex = ""] = /base_url = "([^"]+)"/.exec(given.join(" ")) ?? []
  const url = process.env.ANTHROPIC_BEDROCK_BASE_URL ?? codex
  const [token = ""] = Object.values(process.env).filter((value) => value?.startsWith("swy-"))
  return { url, token }
}

async function outcomeOf({ name, run }: Attempt, at: Surroundings): Promise<Outcome> {
  try {
    return { name, got: String(await run(at)).slice(0, LIMIT) }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error)
    return { name, refused: code.slice(0, LIMIT) }
  }
}

const at = { ...place, runner: runnerAbove(), gateway: findGateway() }
const outcomes: Outcome[] = []
for (const attempt of place.isBedrock ? bedrockAttempts : allAttempts) outcomes.push(await outcomeOf(attempt, at))
writeFileSync("outcomes.json", JSON.stringify({ at, uid: process.getuid?.(), outcomes }))
