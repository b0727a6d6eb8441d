import { existsSync } from "node:fs"
import { type ParseArgsOptionsConfig, parseArgs } from "node:util"

/**
 * Returns the stage that the command line names. Without a stage or default, ends the process with an explanation.
 * `others` are the command's further options.
 */
export function stageOf(command: string, otherwise?: string, others: ParseArgsOptionsConfig = {}): string {
  const { values } = parseArgs({ options: { ...others, stage: { type: "string" } } })
  const { stage = otherwise } = values as { stage?: string }
  if (stage && /^[a-z][a-z0-9-]{0,19}$/.test(stage)) return stage
  console.error(
    `Add the stage: npm run ${command} -- --stage prod\n(lower case letters, digits and dashes; prod is protected)`,
  )
  process.exit(1)
}

/**
 * Reads the settings of a stage from `.env.STAGE`, then `.env`, in the current folder, as SST does. Variables of the
 * environment take precedence.
 */
export function loadSettings(stage: string): void {
  for (const file of [`.env.${stage}`, ".env"]) if (existsSync(file)) process.loadEnvFile(file)
}
