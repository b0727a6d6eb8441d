import { homedir } from "node:os"
import { importProgram } from "@switchyard/core/import-program"

const { runMockAgent } = await importProgram("mock", new URL("agent.ts", import.meta.url))

process.exitCode = await runMockAgent(process.argv.slice(2), homedir(), process.env.SWITCHYARD_TOOLS_URL)
// Children that it started must not keep it running.
process.exit()
