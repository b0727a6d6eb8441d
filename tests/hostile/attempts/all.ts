import { fileAttempts } from "./files.ts"
import { networkAttempts } from "./network.ts"
import type { Attempt } from "./place.ts"
import { processAttempts } from "./processes.ts"

/** Attempts of any agent. Those on Bedrock are apart, because they need its gateway. */
export const allAttempts: Attempt[] = [...fileAttempts, ...processAttempts, ...networkAttempts]
