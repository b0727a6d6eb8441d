import { createThread } from "../../concurrency/thread.ts"
import { AppError } from "../../errors.ts"
import type { CliId } from "../clis/clis.ts"
import type { AgentSetup } from "./read-setup.ts"
import type { SetupFunctions } from "./thread-entry.ts"

/** Time limit for reading a setup. Reading normally takes milliseconds. */
const WITHIN_MS = 30_000

const call = createThread<SetupFunctions>(() => import("./thread-entry.ts"), { withinMs: WITHIN_MS })

/** Calls `readSetup` in a thread. Throws `task_invalid` if a file crashes a parser or takes too long to parse. */
export async function readAgentSetup(home: string, cli: CliId): Promise<AgentSetup> {
  const setup = await call("readSetup", home, cli)
  if (setup) return setup
  throw new AppError("task_invalid", "Your own setup for this program can't be read.", { cli })
}
