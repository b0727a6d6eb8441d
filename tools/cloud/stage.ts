import { existsSync } from "node:fs"
import { type ParseArgsOptionsConfig, parseArgs } from "node:util"

/**
 * Returns the stage named on the command line. If there is neither a stage nor a default, exits with an explanation.
 * `others` are the command's other options.
 */
export function stageOf(command: string, otherwise?: string, others: ParseArgsOptionsConfig = {}): string {
  const { values } = parseArgs({ options: { ...others, stage: { type: "string" } } })
  const { stage = otherwise } = values as { stage?: string }
  if (stage && /^[a-z][a-z0-9-]{0,19}$/.test(stage)) return stage
  console.error(
    `Add the stage: npm run ${command} -- --stage prod\n(lowercase letters, digits and dashes; prod is protected)`,
  )
  process.exit(1)
}

/**
 * Reads a stage's settings from `.env.STAGE`, then `.env`, in the current folder, as SST does. Environment variables
 * take precedence.
 */
export function loadSettings(stage: string): void {
  for (const file of [`.env.${stage}`, ".env"]) if (existsSync(file)) process.loadEnvFile(file)
}
