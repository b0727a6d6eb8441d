import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { text } from "node:stream/consumers"
import type { PermissionMode } from "@switchyard/core/agents/permissions/schema"
import { demoOffer } from "@switchyard/core/models/demo-offer"
import { demoModelName } from "@switchyard/core/models/providers/scripted"
import { estimateText } from "@switchyard/core/people/usage/amounts"
import { BuildEstimate } from "@switchyard/core/people/usage/schema"
import { NO_REVIEWER } from "@switchyard/core/work/verification/review-schema"
import type { Run } from "../api/responses.ts"
import type { Cli } from "../cli.ts"
import { checkTarget } from "../downloads/unpack.ts"
import { askForConsent } from "../errors/consent.ts"
import { UsageError } from "../errors/errors.ts"
import { EXIT } from "../errors/exit.ts"
import { type BudgetOptions, budgetIn } from "../input/option-values.ts"
import { type JunitOption, writeJunit } from "../reports/junit.ts"
import { type SarifOption, writeSarif } from "../reports/sarif.ts"
import { followToEnd, type WatchOptions } from "./follow-to-end.ts"
import { type ImageOption, imagesOf } from "./request-images.ts"

export interface RunOptions extends WatchOptions, JunitOption, SarifOption, BudgetOptions, ImageOption {
  workspace?: string
  model?: string
  /** Account name or agent ID. */
  agent?: string
  repository?: string
  /** Existing branch to work on, branch to start from, and native session to resume. */
  branch?: string
  baseBranch?: string
  resumeSession?: string
  /** Permission mode of the agent, which determines what it may do without asking. */
  mode?: PermissionMode
  /**
   * With `verify`, the agent's work counts only if the project's own checks pass. With `allowTestChanges`, the agent
   * may change tests.
   */
  verify?: boolean
  allowTestChanges?: boolean
  reviewer?: string
  reviewerModel?: string
  /** True to run the built project before the run ends. */
  check?: boolean
  /** True for a final review by a model. If undefined, the server decides. */
  review?: boolean
  consent?: boolean
}

/** Starts a run, shows it until it ends, and downloads its files. */
export async function run(cli: Cli, prompt: string, options: RunOptions): Promise<number> {
  const { out, detach, timeout, force = false } = options
  if (detach && options.junit)
    throw new UsageError("--junit can't be used with --detach, which exits before there is a verdict.")
  if (detach && options.sarif)
    throw new UsageError("--sarif can't be used with --detach, which exits before there is any evidence.")
  if (detach && out && !timeout)
    throw new UsageError("--out can't be used with --detach, which exits before there are any files.")
  if (out) await checkTarget(out, { merge: force })
  if (!options.agent && !cli.terminal.json) await showEstimate(cli, options.model)
  const created = await start(cli, prompt, options)
  const { run_id, workspace_id } = created
  if (detach && !timeout) {
    cli.terminal.show(created, run_id)
    return EXIT.done
  }

  if (!cli.terminal.json)
    cli.terminal.line({ who: "run", text: `${run_id} in workspace ${workspace_id}`, tone: "plain" })
  if (!cli.terminal.json && created.model === demoModelName)
    cli.terminal.line({
      who: "demo",
      text: `The built-in demo is answering, not a language model. ${demoOffer}`,
      tone: "plain",
    })
  const code = await followToEnd(cli, created, options)
  await writeJunit(cli, run_id, options.junit)
  if (options.sarif) await writeEvidence(cli, created, options.sarif)
  return options.verify || options.check ? verifiedCode(cli, run_id, code) : code
}

/**
 * Shows the probable cost of the build. Ignores errors: if the server refuses the model, the request that starts the
 * run will fail too.
 */
async function showEstimate({ api, terminal, interrupts }: Cli, model: string | undefined): Promise<void> {
  const asked = { query: { model }, signal: interrupts.second }
  const estimate = await api.ask("GET /api/v1/usage/estimate", BuildEstimate, asked).catch(() => undefined)
  const text = estimate && estimateText(estimate)
  if (text) terminal.notice(`Estimated cost with ${estimate.model}: ${text.join(", ")}.`)
}

async function writeEvidence(cli: Cli, { workspace_id: sessionId, worktree }: Run, file: string): Promise<void> {
  const { second: signal } = cli.interrupts
  await writeSarif(await cli.api.evidence(sessionId, worktree ?? undefined, { signal }), file)
}

/**
 * Returns the exit code of a run that must be verified or checked. The run succeeds only if its verdict is `passed`.
 */
async function verifiedCode(cli: Cli, runId: string, code: number): Promise<number> {
  if (code !== EXIT.done && code !== EXIT.warned && code !== EXIT.failed) return code
  const { verdict, error } = await cli.api.run(runId, { signal: cli.interrupts.second })
  if (code !== EXIT.failed) return verdict?.status === "passed" ? code : EXIT.notVerified
  return error?.error_type === "not_verified" ? EXIT.notVerified : code
}

/**
 * Starts a run. A retry doesn't start a second run. If interrupted, waits for the reply, because only the reply
 * contains the ID of the run to cancel.
 */
async function start(cli: Cli, prompt: string, options: RunOptions): Promise<Run> {
  const { workspace, model, agent, repository, mode, check, review, consent } = options
  const { branch, baseBranch, resumeSession, verify, allowTestChanges, junit, sarif } = options
  if (!agent && mode) throw new UsageError("--mode needs --agent.")
  if (!agent && repository) throw new UsageError("--repository needs --agent.")
  if (!agent && (branch ?? baseBranch ?? resumeSession) !== undefined)
    throw new UsageError("--branch, --base-branch and --resume-session need --agent.")
  if (!agent && verify) throw new UsageError("--verify needs --agent.")
  if (junit !== undefined && !verify && !check) throw new UsageError("--junit needs --verify or --check.")
  if (sarif !== undefined && !verify) throw new UsageError("--sarif needs --verify.")
  if (!verify && options.reviewer !== undefined) throw new UsageError("--reviewer needs --verify.")
  if (options.reviewerModel !== undefined && options.reviewer === undefined)
    throw new UsageError("--reviewer-model needs --reviewer.")
  if (!verify && !check && allowTestChanges) throw new UsageError("--allow-test-changes needs --verify or --check.")
  if (!agent && !check && consent) throw new UsageError("--consent needs --agent or --check.")
  if (agent && options.image) throw new UsageError("--image can't be used with --agent.")
  if (agent && review !== undefined) throw new UsageError("--review and --no-review can't be used with --agent.")
  const userPrompt = prompt === "-" ? await text(process.stdin) : prompt
  if (!userPrompt.trim()) throw new UsageError("The prompt is empty.")
  const images = await imagesOf(cli, options, workspace)
  const asked = cli.api.startRun(
    {
      ...images,
      ...{ user_prompt: userPrompt, model, review, budget: budgetIn(options) },
      ...(check && { check, consent, allow_test_changes: allowTestChanges }),
      ...(agent && {
        kind: "agent",
        coding_agent: agent,
        mode,
        consent,
        repository: repository && addressOf(repository),
        branch,
        base_branch: baseBranch,
        resume_session: resumeSession,
        ...(verify && { verify, allow_test_changes: allowTestChanges, ...reviewerOf(options) }),
      }),
    },
    { idempotencyKey: cli.newKey(), signal: cli.interrupts.second },
  )
  return asked.catch(askForConsent(agent ? "An agent runs commands" : "A check runs the built project"))
}

function reviewerOf({ reviewer, reviewerModel }: RunOptions) {
  return { verification_agent: reviewer === "none" ? NO_REVIEWER : reviewer, verification_model: reviewerModel }
}

/**
 * Returns a local folder as an absolute path, because the server has a different working directory. Returns a URL
 * unchanged.
 */
function addressOf(repository: string): string {
  return existsSync(repository) ? resolve(repository) : repository
}
