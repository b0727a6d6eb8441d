import { PullRequest } from "@switchyard/core/files/worktrees/pull-request-schema"
import type { Cli } from "../cli.ts"

export interface PullRequestOptions {
  worktree?: string
  title?: string
  base?: string
  draft?: boolean
}

/** Opens or updates a pull request for a session's work. Writes only its URL to stdout. */
export async function pullRequest(cli: Cli, sessionId: string, options: PullRequestOptions): Promise<void> {
  const { api, terminal } = cli
  const { worktree, title, base, draft = false } = options
  const asked = { path: { id: sessionId }, query: { worktree }, body: { title, base, draft } }
  const opened = await api.ask("POST /api/v1/sessions/{id}/worktree/pull-request", PullRequest, asked)
  if (terminal.json) terminal.printJson(opened)
  else {
    terminal.print(opened.url)
    const checks = { success: "its checks passed", failure: "its checks failed" }
    const checked = opened.status ? checks[opened.status] : "this commit wasn't checked"
    terminal.notice(`Pull request ${opened.number} was ${opened.created ? "opened" : "updated"}; ${checked}.`)
  }
}
