import { homedir } from "node:os"
import { importProgram } from "@switchyard/core/import-program"

const { runMockAgent } = await importProgram("mock", new URL("agent.ts", import.meta.url))

const { SWITCHYARD_TOOLS_URL: tools, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key } = process.env
process.exitCode = await runMockAgent(process.argv.slice(2), homedir(), { tools, api: url && { url, key } })
// Children that it started must not keep it running.
process.exit()
