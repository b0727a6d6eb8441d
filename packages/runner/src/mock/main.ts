import { homedir } from "node:os"
import { runMockAgent } from "./agent.ts"

process.exitCode = await runMockAgent(process.argv.slice(2), homedir(), process.env.SWITCHYARD_TOOLS_URL)
// Children that it started must not keep it running.
process.exit()
