import { homedir } from "node:os"
import { importProgram } from "@switchyard/core/import-program"

const { runMockAgent } = await importProgram("mock", new URL("agent.ts", import.meta.url))

const { SWITCHYARD_TOOLS_URL: tools, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key, SWITCHYARD_MOCK } = process.env
const simulated = SWITCHYARD_MOCK && JSON.parse(SWITCHYARD_MOCK)
process.exitCode = await runMockAgent(process.argv.slice(2), homedir(), { tools, api: url && { url, key }, simulated })
// Exit explicitly, because child processes would keep this one alive.
process.exit()
