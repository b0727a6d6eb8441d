import { homedir } from "node:os"
import { runMockAgent } from "./agent.ts"

process.exitCode = await runMockAgent(process.argv.slice(2), homedir())
// What it started itself must not keep it.
process.exit()
