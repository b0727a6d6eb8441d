import type { Shown } from "../../gate/gate.ts"
import { compareWorkspaces } from "../../verification/compare-workspaces.ts"
import { describeTests, findTampering } from "../../verification/tampering.ts"
import { isTest } from "../../verification/test-files.ts"
import { isRemoval } from "../../verification/weakening.ts"
import type { NodeDeps } from "../nodes/node-deps.ts"
import type { WorkflowState } from "../nodes/state.ts"

/**
 * Compares the tests and check commands of a project that wasn't run with their versions from before the workflow.
 * Returns the verdict including the changed tests, and each change that weakens a check. `findLosses` reports removed
 * tests instead.
 */
export async function judgeUnrun(
  { context, openFiles, journal }: NodeDeps,
  { base, user_prompt: request }: Pick<WorkflowState, "base" | "user_prompt">,
  shown: Shown,
): Promise<{ shown: Shown; weakened: string[] }> {
  if (!base || base.manifest === null) return { shown, weakened: [] }
  const [before, after] = await Promise.all([openFiles(base), openFiles()])
  const { workspace, verification } = context.state()
  const comparison = await compareWorkspaces(before, after, context)
  const reasons = new Map(journal.progress.changedTests?.map(({ path, reason }) => [path, reason]))
  const changed = before.manifest.files.some(({ path }) => isTest(path)) ? describeTests(comparison, reasons) : []
  const isAllowed = context.input.allow_test_changes && verification.settings.allow_test_changes !== false
  const found = isAllowed || ASKED.test(request) ? [] : findTampering(comparison, workspace.checkCommands)
  const verdict = { ...shown.verdict, ...(changed.length > 0 && { changed_tests: changed }) }
  return { shown: { ...shown, verdict }, weakened: found.filter((issue) => !isRemoval(issue)) }
}

/** Matches a request to remove tests, or to change how the project is checked. */
const ASKED =
  /\b(?:remov|delet|drop|skip|disabl|replac|chang|switch|migrat)\w{0,4}\b[^.\n]{0,40}\b(?:tests?|lint\w*|build|scripts?|checks?)\b/i

/** Describes for people the changes that weaken the project's checks. */
export function describeWeakened(weakened: readonly string[]): string {
  return `The run made the project's checks weaker, and the files weren't run: ${weakened.join(" ")}`
}
