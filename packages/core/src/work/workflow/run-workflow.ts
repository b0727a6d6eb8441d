import { AsyncLocalStorage } from "node:async_hooks"
import { settle } from "../../errors.ts"
import { createReadOutline } from "../../files/symbols/outline-store.ts"
import { createWorkspaceStore } from "../../files/workspaces/blob-store.ts"
import type { Manifest } from "../../files/workspaces/manifest.ts"
import { ModelError } from "../../models/errors.ts"
import { parseModelName } from "../../models/names.ts"
import { demoModelName } from "../../models/providers/scripted.ts"
import { createSharedPause } from "../../models/shared-pause.ts"
import { seesImages } from "../../models/vision.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { Records } from "../../storage/records.ts"
import type { RepositoryDeps } from "../chat/files/repository-files.ts"
import { indexFiles } from "../chat/prompt/code-map.ts"
import { environmentSection, type ReadCheckMachine } from "../gate/environment.ts"
import { createGate, type StartCheck } from "../gate/gate.ts"
import { createHarness, type ModelDeps } from "../harness/context.ts"
import { createModelChain } from "../harness/model-chain.ts"
import { classifyError } from "../runs/classify-error.ts"
import type { RunWork } from "../runs/run-context.ts"
import { createCheckpointSaver } from "./checkpoints/checkpoint-saver.ts"
import { checkpointsOf, deleteCheckpoints } from "./checkpoints/checkpoints.ts"
import { readResumePoint } from "./checkpoints/resume-point.ts"
import { createGraph } from "./graph.ts"
import { createJournal, type NodeSpan } from "./nodes/node-journal.ts"
import { readEarlierRequests } from "./plan/earlier-requests.ts"
import { DEFAULT_FILE_TOKENS } from "./plan/file-budget.ts"
import { createRankFiles } from "./plan/rank-files.ts"
import { openProjectFiles } from "./project-files.ts"
import type { WorkflowInput } from "./schema.ts"

/**
 * Default number of files written concurrently. Five are enough to write nine files in two waves. If the provider's
 * rate limit is lower, the calls pause together and the number is halved.
 */
const DEFAULT_FILES_AT_ONCE = 5

/**
 * Time limit for parsing the files of a large project. Files that aren't parsed in time are ranked without their
 * declarations.
 */
const INDEX_WITHIN_MS = 30_000

export interface WorkflowDeps extends ModelDeps, RepositoryDeps {
  records: Records
  blobs: Blobs
  /** Token budget for files that a model receives in full. Other files are shown only as declarations or names. */
  fileTokens?: number
  /**
   * Maximum number of independent files to write concurrently. Halved each time the provider's rate limit is reached.
   */
  filesAtOnce?: number
  /** Starts a check of the built project. Absent if built projects can't be run. */
  startCheck?: StartCheck
  /** Reads a description of the machine that runs checks, for the prompts. */
  checkMachine?: ReadCheckMachine
  /** Models that continue a build, in this order, if the provider of the build's own model is down. */
  fallbackModels?: readonly string[]
  /** False to skip the final model call, which compares the files with the request. */
  review?: boolean
}

/**
 * Wraps `startCheck` so that it runs outside LangGraph's async context, although a node of the graph calls it.
 * Otherwise, anything that outlives the node, such as a runner and the runs that the runner wakes, would inherit the
 * graph's configuration.
 */
function outsideOf(startCheck: StartCheck | undefined): StartCheck | undefined {
  const outside = AsyncLocalStorage.snapshot()
  return startCheck && ((...args) => outside(startCheck, ...args))
}

/**
 * Describes the environment in which the result is checked. Uses the date on which the run was created, so that all
 * prompts of the run begin identically and providers can cache that beginning.
 */
async function readEnvironment(
  { checkMachine }: WorkflowDeps,
  { state, runId }: Parameters<RunWork<WorkflowInput>>[0],
): Promise<string> {
  const { runs, workspace } = state()
  const today = (runs.byId[runId]?.createdAt ?? "").slice(0, 10)
  return environmentSection({ machine: await checkMachine?.(), commands: workspace.checkCommands, today })
}

/** Leaves out models that can't process the request's images. */
function substitutesFor({ images = [] }: WorkflowInput, names: readonly string[]): readonly string[] {
  return images.length === 0 ? names : names.filter((name) => seesImages(parseModelName(name, "workflow")) !== false)
}

/** Returns the function that carries out a workflow run. It continues from the point that earlier executors reached. */
export function createWorkflow(deps: WorkflowDeps): RunWork<WorkflowInput> {
  const { fileTokens = DEFAULT_FILE_TOKENS } = deps
  return async (given) => {
    const { clock, newId, blobs } = deps
    const { openFiles, commit, isRepository } = await openProjectFiles(deps, given)
    const context = { ...given, commit }
    const { sid, runId, signal, input } = context
    let filesAtOnce = deps.filesAtOnce ?? DEFAULT_FILES_AT_ONCE
    const pause = createSharedPause(clock, () => {
      filesAtOnce = Math.max(1, Math.floor(filesAtOnce / 2))
    })
    const harness = createHarness(deps, context, { modelName: context.model, cacheKey: runId })
    const journal = createJournal(context, clock, await readResumePoint(context, blobs, { signal }))
    const earlierRequests = await readEarlierRequests(context, blobs)
    const environment = await readEnvironment(deps, context)
    const readOutline = createReadOutline(blobs, { sid, incarnation: context.state().session.incarnation })
    const rankFiles = createRankFiles({
      indexFiles: (files, options) =>
        indexFiles(deps, { sid, state: context.state() }, files, { withinMs: INDEX_WITHIN_MS, ...options }),
    })
    const checkpoints = createCheckpointSaver({ ...deps, ...checkpointsOf(sid, runId), signal })
    const startCheck = input.check ? outsideOf(deps.startCheck) : undefined
    const readManifest = isRepository ? async () => (await openFiles()).at.manifest : undefined
    const gate = createGate({ context, newId, startCheck, readManifest })
    // The demo model only builds a few kinds of apps by fixed rules, so it can't review or repair anything.
    const canRepair = context.model !== demoModelName
    const review = canRepair && (input.review ?? deps.review ?? true)
    const { incarnation } = context.state().session
    const storeManifest = (manifest: Manifest) =>
      createWorkspaceStore(blobs, { sid, incarnation }).writeManifest(manifest, { signal })
    const reviewTests = input.review !== false
    const chain = createModelChain(deps, harness, substitutesFor(input, deps.fallbackModels ?? []))
    const harnessIn = (span: NodeSpan) => ({ ...harness, ...span, pause, chain })
    const texts = { environment, earlierRequests }
    const reading = { openFiles, readOutline, rankFiles }
    const work = { context, journal, harness: harnessIn, ...texts, ...reading, gate, storeManifest }
    const graph = createGraph(
      { ...work, fileTokens, review, reviewTests, lastLook: canRepair, filesAtOnce: () => filesAtOnce },
      checkpoints,
    )

    const thread = { configurable: { thread_id: runId } }
    const { recursion_limit, resumes: _resumes, check: _check, review: _review, ...rest } = input
    const { allow_test_changes: _, ...request } = rest
    const saved = await checkpoints.getTuple(thread)
    // Allow one more step, because LangGraph fails at the limit even if nothing is left to do. Two more steps are for
    // the last look and the review, so that plans needn't leave room for them.
    const recursionLimit = recursion_limit + 3
    const limits = { recursionLimit, durability: "sync" as const }
    const { error } = await settle(() => graph.invoke(saved ? null : request, { ...thread, ...limits }))
    const refusal = error instanceof ModelError && error.isUnchanged ? error : undefined
    if (error && !refusal) throw error
    // The project is unchanged, so the run ends with a warning instead of a failure.
    if (refusal) context.warn(`${refusal.message} ${classifyError(refusal).hint}`)
    await deleteCheckpoints(deps, sid, runId, { signal })
  }
}
