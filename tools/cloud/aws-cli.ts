import { spawnSync } from "node:child_process"

const ANSWER_WITHIN_MS = 20_000

export interface Answer {
  /** True if the CLI is installed. */
  isThere: boolean
  ok: boolean
  text: string
}

/** Runs a command of the AWS CLI, which is optional. */
export function askAws(command: string, region: string): Answer {
  const args = [...command.split(" "), "--output", "text", "--region", region]
  const { error, status, stdout, stderr } = spawnSync("aws", args, { encoding: "utf8", timeout: ANSWER_WITHIN_MS })
  if (error) return { isThere: !("code" in error && error.code === "ENOENT"), ok: false, text: error.message }
  return { isThere: true, ok: status === 0, text: (status === 0 ? stdout : stderr).trim() }
}
