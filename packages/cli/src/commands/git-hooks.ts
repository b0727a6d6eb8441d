import {
  CreatedGitHook,
  type GitHook,
  type GitHookKind,
  type NewGitHook,
} from "@switchyard/core/people/git-hooks/schema"
import * as z from "zod"
import { GitHookList } from "../api/responses.ts"
import type { Cli } from "../cli.ts"
import { UsageError } from "../errors/errors.ts"

export interface GitHookOptions {
  kind: GitHookKind
  agent: string
  label?: string[]
  comment?: boolean
  checkFailed?: boolean
  user?: string[]
}

/**
 * Adds a git hook, and prints the URL and the secret to enter in the host's settings. The secret is shown only once. If
 * the reply is lost, delete the hook and add it again.
 */
export async function addGitHook(cli: Cli, repository: string, options: GitHookOptions): Promise<void> {
  const { api, terminal } = cli
  const { kind, agent: coding_agent, user: users = [] } = options
  const rules = rulesOf(options)
  if (rules.length === 0) throw new UsageError("Specify at least one of --label, --comment and --check-failed.")
  const body = { repository, kind, coding_agent, rules, users }
  const hook = await api.ask("POST /api/v1/git-hooks", CreatedGitHook, { body })
  if (terminal.json) {
    terminal.printJson(hook)
    return
  }
  show(cli, hook)
  terminal.notice("Enter these in the settings of the repository's host. The secret is shown only once:")
  terminal.print(`path    ${hook.path}`)
  terminal.print(`secret  ${hook.secret}`)
}

/** Lists git hooks without their secrets. If a hook can't start runs, shows the reason. */
export async function listGitHooks(cli: Cli): Promise<void> {
  for (const hook of (await cli.api.ask("GET /api/v1/git-hooks", GitHookList, {})).git_hooks) {
    show(cli, hook)
    if (hook.problem !== null) cli.terminal.notice(`${hook.id} can't start runs: ${hook.problem}`)
  }
}

/** Deletes a git hook. Deliveries from its host then have no effect. */
export async function removeGitHook({ terminal, api }: Cli, id: string): Promise<void> {
  await api.ask("DELETE /api/v1/git-hooks/{hook}", z.unknown(), { path: { hook: id } })
  terminal.show({ id, deleted: true }, `The git hook ${id} was deleted.`)
}

function rulesOf({ label = [], comment, checkFailed }: GitHookOptions): NewGitHook["rules"] {
  return [
    ...label.map((name) => ({ on: "issue_labelled" as const, label: name })),
    ...(comment ? [{ on: "comment" as const }] : []),
    ...(checkFailed ? [{ on: "check_failed" as const }] : []),
  ]
}

function show({ terminal }: Cli, hook: GitHook): void {
  const rules = hook.rules.map((rule) => (rule.on === "issue_labelled" ? `label ${rule.label}` : rule.on))
  const starts = rules.join(", ").replaceAll("_", " ")
  terminal.show(hook, [hook.id, hook.kind, hook.repository, hook.coding_agent, starts].join("  "))
}
