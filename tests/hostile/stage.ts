import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Depot } from "../runner/runner-process.ts"
import { scripted } from "./agent.ts"
import { allAttempts } from "./attempts/all.ts"
import type { Attempt, Outcome, Place } from "./attempts/place.ts"

/** The account's key, which no agent may get. */
export const KEY = "sk-REAL-CANARY-KEY"
export const NOT_FOR_AGENTS = "not for agents"
/** Environment of a stage's runner, with the session's AWS credentials. See `bedrock-runner.ts`. */
export const AWS_SECRETS = {
  AWS_ACCESS_KEY_ID: "AKIA-REAL-CANARY",
  AWS_SECRET_ACCESS_KEY: "aws-secret-REAL-CANARY",
  AWS_SESSION_TOKEN: "aws-token-REAL-CANARY",
  AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: "/v2/credentials/REAL-CANARY",
}
const SECRETS = [KEY, NOT_FOR_AGENTS, ...Object.values(AWS_SECRETS)]
/** User and group of another session and another account. */
const OTHER = { uid: 65534, gid: 300_000_000 }

/**
 * Creates secrets around an agent, and writes the attacking agent into the depot's programs. The agent sees the depot's
 * folder at `data`, and `node` runs its attempts.
 */
export function prepareStage(
  depot: Depot,
  { data, node, ...about }: { data: string; node: string } & Pick<Place, "api" | "apiSession" | "isBedrock">,
): Place {
  const inDepot = (path: string) => path.replace(data, depot.folder)
  const place: Place = {
    ...{ data, sid: depot.sid, ...about },
    secret: `${data}/root-only`,
    otherHome: `${data}/homes/bert-other/home`,
    otherProject: `${data}/projects/fedcba9876543210fedcba9876543210/1`,
  }
  const secret = inDepot(place.secret)
  mkdirSync(secret, { mode: 0o700 })
  writeFileSync(join(secret, "kept"), NOT_FOR_AGENTS)
  writeFileSync(join(depot.folder, "master.key"), NOT_FOR_AGENTS, { mode: 0o644 })
  for (const folder of [place.otherHome, place.otherProject].map(inDepot)) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "secret"), NOT_FOR_AGENTS)
    // Set the owners and modes that the other session's runner sets.
    for (const path of [folder, join(folder, "secret")]) chownSync(path, OTHER.uid, OTHER.gid)
    chownSync(join(folder, ".."), 0, OTHER.gid)
    chmodSync(join(folder, ".."), 0o710)
  }
  const programs = join(depot.folder, "programs")
  mkdirSync(programs, { recursive: true })
  cpSync(join(import.meta.dirname, "attempts"), join(programs, "attempts"), { recursive: true })
  writeFileSync(join(programs, "place.json"), JSON.stringify(place))
  scripted(
    depot,
    `${node} ${data}/programs/attempts/main.ts ${data}/programs/place.json "$@"`,
    about.isBedrock ? "claude" : "codex",
  )
  return place
}

/** Reads the outcome of each attempt by its name, and the agent's uid. */
export function readOutcomes(worktree: string): { outcomes: Map<string, Outcome>; uid: number } {
  const { outcomes, uid } = JSON.parse(readFileSync(join(worktree, "outcomes.json"), "utf8"))
  return { outcomes: new Map(outcomes.map((outcome: Outcome) => [outcome.name, outcome])), uid }
}

/** Returns what the agent got by an attempt, or undefined if it got nothing. */
export function gain({ name, isNothing }: Attempt, outcomes: Map<string, Outcome>): string | undefined {
  const outcome = outcomes.get(name)
  if (!outcome) return "it wasn't made"
  const text = JSON.stringify(outcome)
  if (SECRETS.some((secret) => text.includes(secret))) return text
  return "got" in outcome && !isNothing?.(outcome.got) ? outcome.got : undefined
}

/** Returns everything that the agent got, with the attempts' names. */
export function gains(outcomes: Map<string, Outcome>): string[] {
  return allAttempts.flatMap((attempt) => {
    const got = gain(attempt, outcomes)
    return got === undefined ? [] : [`${attempt.name}: ${got}`]
  })
}
