import { fileAttempts } from "./files.ts"
import { networkAttempts } from "./network.ts"
import type { Attempt } from "./place.ts"
import { processAttempts } from "./processes.ts"

export const allAttempts: Attempt[] = [...fileAttempts, ...processAttempts, ...networkAttempts]
