import { NO_REVIEWER } from "@switchyard/core/work/verification/review-schema"
import { SessionVerification, type VerificationChange } from "@switchyard/core/work/verification/settings-schema"
import type { Cli } from "../cli.ts"
import { askForConsent } from "../errors/consent.ts"

export interface VerificationOptions {
  on?: boolean
  off?: boolean
  inherit?: boolean
  allowTestChanges?: boolean
  attempts?: number
  reviewer?: string
  reviewerModel?: string
  consent?: boolean
}

/** Applies the options, then shows whether a session's tasks are verified. */
export async function verification(cli: Cli, sessionId: string, options: VerificationOptions): Promise<void> {
  const { api, terminal } = cli
  const change = changeOf(options)
  const { consent = false } = options
  const path = { id: sessionId }
  const asked =
    Object.keys(change).length === 0
      ? api.ask("GET /api/v1/sessions/{id}/verification", SessionVerification, { path })
      : api.ask("PUT /api/v1/sessions/{id}/verification", SessionVerification, { path, body: { ...change, consent } })
  const found = await asked.catch(askForConsent("Verification runs the project's own commands"))
  if (terminal.json) terminal.printJson(found)
  else terminal.line({ who: "verify", text: describe(found), tone: "plain" })
}

const NO_REVIEW = { verification_agent: null, verification_model: null, verification_reasoning: null }

function changeOf(options: VerificationOptions): VerificationChange {
  const { on, off, inherit, allowTestChanges, attempts, reviewer, reviewerModel } = options
  if (inherit) return { verify: null, allow_test_changes: null, verification_attempts: null, ...NO_REVIEW }
  return {
    ...(on && { verify: true }),
    ...(off && { verify: false }),
    ...(allowTestChanges !== undefined && { allow_test_changes: allowTestChanges }),
    ...(attempts !== undefined && { verification_attempts: attempts }),
    ...(reviewer !== undefined && { verification_agent: reviewer === "none" ? NO_REVIEWER : reviewer }),
    ...(reviewerModel !== undefined && { verification_model: reviewerModel }),
  }
}

function describe({ session, repository, effective }: SessionVerification): string {
  const from = [
    session.verify !== null && "set for this session",
    repository.verify !== null && "set for the repository",
  ]
  const source = from.find(Boolean) || "not set"
  if (!effective.verify) return `Tasks aren't verified (${source}).`
  const tests = effective.allow_test_changes ? "may change tests" : "may not change tests"
  const by = effective.verification_agent === null ? "" : ` ${effective.verification_agent} reviews work that passes.`
  return `Tasks are verified (${source}): ${effective.verification_attempts} attempts, and agents ${tests}.${by}`
}
