import { fileAttempts } from "./files.ts"
import { networkAttempts } from "./network.ts"
import type { Attempt } from "./place.ts"
import { processAttempts } from "./processes.ts"

/** Attempts by any agent, except those on Bedrock, which need a gateway to Bedrock. */
export const allAttempts: Attempt[] = [...fileAttempts, ...processAttempts, ...networkAttempts]
