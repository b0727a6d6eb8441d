import type { Workspace } from "../../../files/workspaces/files.ts"
import type { WorkspacePath } from "../../../files/workspaces/path.ts"
import type { ProjectFiles } from "../../gate/check.ts"
import { findChecks } from "../../gate/find-checks.ts"
import type { Shown } from "../../gate/gate.ts"
import { reportsTests } from "../../gate/silent-tests.ts"
import type { ChangedFile } from "../../verification/changed-file.ts"
import { compareWorkspaces } from "../../verification/compare-workspaces.ts"
import { judge } from "../../verification/judge.ts"
import { changedTests, describeTests, findTampering, judgeOwnTests } from "../../verification/tampering.ts"
import type { NodeDeps } from "../nodes/node-deps.ts"
import type { WorkflowState } from "../nodes/state.ts"
import type { ReviewFinding } from "../schema.ts"

/** A test that was written by the run and later changed by a repair. */
export type CorrectedTest = ChangedFile & { reason: string | null }

/** A round's check, and a function that compares tests changed by repairs with the request. */
interface Round {
  state: WorkflowState
  round: number
  shown: Shown
  review(tests: CorrectedTest[]): Promise<ReviewFinding[]>
}

/**
 * Judges a check by the same rules that apply to agents. Tests from before the run must pass unchanged. No test may
 * become more lenient, not even the run's own tests. The verdict lists the changed tests.
 */
export async function judgeTests(deps: NodeDeps, { state, round, shown, review }: Round): Promise<Shown> {
  const { context, openFiles, gate, journal } = deps
  const { verdict } = shown
  if (verdict.status === "not_run") return shown
  const head = await openFiles()
  const base = await openFiles(state.base)
  const checked = await Promise.all((state.checked ?? []).map((at) => openFiles(at)))
  const sinceStart = await compareWorkspaces(base, head, context)
  const sinceChecks = await Promise.all(checked.map((files) => compareWorkspaces(files, head, context)))
  const reasons = new Map(journal.progress.changedTests?.map(({ path, reason }) => [path, reason]))
  const commands = context.state().workspace.checkCommands ?? {}
  const isOld = (path: string) => base.stat(path as WorkspacePath) !== undefined
  const own = judgeOwnTests(sinceChecks, isOld, { reasons, commands })
  // The session's settings may forbid test changes after the run began, and the run must comply.
  const allow_test_changes =
    context.state().verification.settings.allow_test_changes !== false && context.input.allow_test_changes
  const tampering = allow_test_changes ? [] : [...findTampering(sinceStart, commands), ...own.weakened]
  const paths = new Set(allow_test_changes ? [] : changedTests(sinceStart))
  const namesOf = (project: ProjectFiles) => findChecks(project, commands).map(({ name }) => name)
  const [checksBefore, checksAfter] = [namesOf(sinceStart.base), namesOf(sinceStart.head)]
  const isDue = verdict.status === "passed" && tampering.length === 0 && checksBefore.includes("test") && paths.size > 0
  const store = () => deps.storeManifest(withTestsOf(base, head, paths))
  const original = isDue
    ? await gate.show(round, { testsOf: `version ${base.at.version}`, commands, store })
    : undefined
  const version = String(verdict.workspace_version)
  const judged = judge({
    ...{ outcome: "completed", commit: version, verdict, tampering, originalTests: original?.verdict },
    changedTests: [...describeTests(sinceStart, reasons), ...own.changed],
    summary: { change_summary: "", files_changed: [], completion_status: "success" },
    ...{ changed: [], checksBefore, checksAfter, reportsTests: reportsTests(sinceStart.head, commands) },
  })
  const corrected = own.files.flatMap((file) =>
    file.before === null || file.after === null ? [] : [{ ...file, reason: reasons.get(file.path) ?? null }],
  )
  const isPassed = judged.verdict.status === "passed"
  const found = isPassed && corrected.length > 0 && !allow_test_changes ? await review(corrected) : []
  const reason = found.map(({ path, message }) => `${path}: ${message}`).join(" ")
  return {
    verdict: {
      ...judged.verdict,
      ...(found.length > 0 && { status: "failed", reason: `A changed test contradicts the request. ${reason}` }),
    },
    output: original?.verdict.status === "failed" ? original.output : shown.output,
  }
}

/**
 * Returns the manifest with the given files restored to their state in `base`, or removed if they didn't exist there.
 */
function withTestsOf(base: Workspace, { manifest }: Workspace, paths: ReadonlySet<string>): Workspace["manifest"] {
  const kept = manifest.files.filter(({ path }) => !paths.has(path))
  return { ...manifest, files: [...kept, ...base.manifest.files.filter(({ path }) => paths.has(path))] }
}
