import { createThread } from "../../concurrency/thread.ts"
import type { AgentsFunctions } from "./thread-entry.ts"

/** Time limit for parsing. Parsing normally takes milliseconds. */
const WITHIN_MS = 30_000

const call = createThread<AgentsFunctions>(() => import("./thread-entry.ts"), { withinMs: WITHIN_MS })

/** Calls `jsonOfYaml` in a thread. */
export async function jsonOfYamlInThread(text: string): Promise<{ json: string } | { fault: string }> {
  return (await call("jsonOfYaml", text)) ?? { fault: "It can't be parsed." }
}
