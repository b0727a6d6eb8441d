import { existsSync } from "node:fs"
import { type ParseArgsOptionsConfig, parseArgs } from "node:util"

/**
 * The stage that the command line names. Ends the process, with what to type instead, if it names none and there is no other.
 * `others` are the options that the command has beside it.
 */
export function stageOf(command: string, otherwise?: string, others: ParseArgsOptionsConfig = {}): string {
  const { values } = parseArgs({ options: { ...others, stage: { type: "string" } } })
  const { stage = otherwise } = values as { stage?: string }
  if (stage && /^[a-z][a-z0-9-]{0,19}$/.test(stage)) return stage
  console.error(
    `Say which stage: npm run ${command} -- --stage prod\n(lower case letters, digits and dashes; prod is kept safe)`,
  )
  process.exit(1)
}

/**
 * Reads the settings of a stage from `.env.STAGE`, then `.env`, in the current folder, as SST does: what the environment has
 * already, a file doesn't change.
 */
export function loadSettings(stage: string): void {
  for (const file of [`.env.${stage}`, ".env"]) if (existsSync(file)) process.loadEnvFile(file)
}
