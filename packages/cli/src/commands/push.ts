import { PushedSession } from "@switchyard/core/sessions/forges/push-schema"
import { ANSWER_MS } from "../api/requests.ts"
import type { Cli } from "../cli.ts"
import { type WorkspaceChoice, workspaceOf } from "./workspace-of.ts"

interface PushOptions extends WorkspaceChoice {
  branch?: string
  message?: string
  public?: boolean
}

/**
 * Pushes a session's files to a repository. Writes only the address of the pull request or of the repository to stdout.
 */
export async function push(cli: Cli, url: string, options: PushOptions): Promise<void> {
  const { terminal } = cli
  const { branch, message, public: isPublic = false, ...choice } = options
  const body = { url, branch, message, private: !isPublic }
  const asked = { path: { id: await workspaceOf(cli, choice) }, body, waitMs: ANSWER_MS, isOnce: true }
  const pushed = await cli.api.ask("POST /api/v1/sessions/{id}/push", PushedSession, asked)
  if (terminal.json) {
    terminal.printJson(pushed)
    return
  }
  terminal.print(pushed.pull_request?.url ?? pushed.url)
  terminal.notice(`Pushed version ${pushed.version} to the branch ${pushed.branch}.`)
  if (pushed.pull_request_error !== null) terminal.notice(`Couldn't open a pull request: ${pushed.pull_request_error}`)
  if (pushed.left_out.length > 0) terminal.notice(`Not pushed: ${pushed.left_out.join(", ")}`)
}
