import { AsyncLocalStorage } from "node:async_hooks"
import { createReadOutline } from "../../files/symbols/outline-store.ts"
import { createWorkspaceStore } from "../../files/workspaces/blob-store.ts"
import { openWorkspace } from "../../files/workspaces/files.ts"
import type { Manifest, WorkspaceVersion } from "../../files/workspaces/manifest.ts"
import { demoModelName } from "../../models/providers/scripted.ts"
import { createSharedPause } from "../../models/shared-pause.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { Records } from "../../storage/records.ts"
import { createGate, type StartCheck } from "../gate/gate.ts"
import { createHarness, type ModelDeps } from "../harness/context.ts"
import { createModelChain } from "../harness/model-chain.ts"
import type { RunWork } from "../runs/run-context.ts"
import { createCheckpointSaver } from "./checkpoints/checkpoint-saver.ts"
import { checkpointsOf, deleteCheckpoints } from "./checkpoints/checkpoints.ts"
import { readResumePoint } from "./checkpoints/resume-point.ts"
import { createGraph } from "./graph.ts"
import { createJournal, type NodeSpan } from "./nodes/node-journal.ts"
import { readEarlierRequests } from "./plan/earlier-requests.ts"
import { DEFAULT_FILE_TOKENS } from "./plan/file-budget.ts"
import type { WorkflowInput } from "./schema.ts"

/**
 * Default number of files written concurrently: enough for nine files in two waves. If an account's limit is lower, the
 * calls pause together and the number is halved.
 */
const DEFAULT_FILES_AT_ONCE = 5

export interface WorkflowDeps extends ModelDeps {
  records: Records
  blobs: Blobs
  /** Token budget for files that a model receives in full. Other files are shown as declarations or names only. */
  fileTokens?: number
  /** Maximum number of independent files written concurrently. Halved each time the provider's limit is hit. */
  filesAtOnce?: number
  /** Starts a check of the built project. Absent if built projects can't be run. */
  startCheck?: StartCheck
  /** Models that continue a build, in this order, if the provider of its model is down. */
  fallbackModels?: readonly string[]
  /** False to skip the final model call that compares the files with the request. */
  review?: boolean
}

/**
 * Runs `startCheck` outside of the graph whose node calls it. LangGraph keeps its configuration in the async context.
 * Without this, anything that outlives the node, such as a runner and the runs it wakes, would count as part of the
 * graph.
 */
function outsideOf(startCheck: StartCheck | undefined): StartCheck | undefined {
  const outside = AsyncLocalStorage.snapshot()
  return startCheck && ((...args) => outside(startCheck, ...args))
}

/** Returns the function that carries out a workflow run. It picks up where earlier executors left off. */
export function createWorkflow(deps: WorkflowDeps): RunWork<WorkflowInput> {
  const { fileTokens = DEFAULT_FILE_TOKENS } = deps
  return async (context) => {
    const { clock, newId, blobs } = deps
    const { sid, runId, signal, input } = context
    let filesAtOnce = deps.filesAtOnce ?? DEFAULT_FILES_AT_ONCE
    const pause = createSharedPause(clock, () => {
      filesAtOnce = Math.max(1, Math.floor(filesAtOnce / 2))
    })
    const harness = createHarness(deps, context, { modelName: context.model, cacheKey: runId })
    const journal = createJournal(context, clock, await readResumePoint(context, blobs, { signal }))
    const earlierRequests = await readEarlierRequests(context, blobs)
    const openFiles = (at?: WorkspaceVersion) =>
      openWorkspace({ blobs }, { sid, state: context.state() }, { at, signal })
    const readOutline = createReadOutline(blobs, { sid, incarnation: context.state().session.incarnation })
    const checkpoints = createCheckpointSaver({ ...deps, ...checkpointsOf(sid, runId), signal })
    const gate = createGate({ context, newId, startCheck: input.check ? outsideOf(deps.startCheck) : undefined })
    // The demo model only builds a few kinds of apps by rule, so it can't review or repair anything.
    const canRepair = context.model !== demoModelName
    const review = canRepair && (input.review ?? deps.review ?? true)
    const { incarnation } = context.state().session
    const storeManifest = (manifest: Manifest) =>
      createWorkspaceStore(blobs, { sid, incarnation }).writeManifest(manifest, { signal })
    const reviewTests = input.review !== false
    const chain = createModelChain(deps, harness, deps.fallbackModels ?? [])
    const harnessIn = (span: NodeSpan) => ({ ...harness, ...span, pause, chain })
    const work = { context, journal, harness: harnessIn, openFiles, earlierRequests, readOutline, gate, storeManifest }
    const graph = createGraph(
      { ...work, fileTokens, review, reviewTests, lastLook: canRepair, filesAtOnce: () => filesAtOnce },
      checkpoints,
    )

    const thread = { configurable: { thread_id: runId } }
    const { recursion_limit, resumes: _resumes, check: _check, review: _review, ...rest } = input
    const { allow_test_changes: _, ...request } = rest
    const saved = await checkpoints.getTuple(thread)
    // LangGraph fails at the limit even if nothing is left to do, so allow one more step. Two more are for
    // the last look and the review, so that plans needn't leave room for them.
    const recursionLimit = recursion_limit + 3
    const limits = { recursionLimit, durability: "sync" as const }
    await graph.invoke(saved ? null : request, { ...thread, ...limits })
    await deleteCheckpoints(deps, sid, runId, { signal })
  }
}
