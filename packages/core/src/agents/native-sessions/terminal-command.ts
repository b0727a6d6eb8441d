import type { BuiltInCli } from "../clis/clis.ts"
import { MOCK_AGENT } from "../clis/mock.ts"

/** Arguments that make each program resume a session. */
const RESUMING = {
  claude: ["claude", "--resume"],
  codex: ["codex", "resume"],
  gemini: ["gemini", "--resume"],
  qwen: ["qwen", "--resume"],
  opencode: ["opencode", "-s"],
  vibe: ["vibe", "--resume"],
  mock: [MOCK_AGENT, "--resume"],
} satisfies Record<BuiltInCli, string[]>

/** Returns the shell command that continues a native session in a terminal. */
export function terminalCommand(cli: BuiltInCli, session: string, folder: string): string {
  return `cd ${quote(folder)} && ${[...RESUMING[cli], session].map(quote).join(" ")}`
}

/** Quotes a word for a POSIX shell, if necessary. */
function quote(word: string): string {
  return /^[A-Za-z0-9_./@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
