import type { ReadOutline } from "../../../files/symbols/outline-store.ts"
import type { Workspace } from "../../../files/workspaces/files.ts"
import type { Manifest, WorkspaceVersion } from "../../../files/workspaces/manifest.ts"
import type { Gate } from "../../gate/gate.ts"
import type { HarnessContext } from "../../harness/context.ts"
import type { RunContext } from "../../runs/run-context.ts"
import type { RankFiles } from "../plan/rank-files.ts"
import type { WorkflowInput } from "../schema.ts"
import type { Journal, NodeSpan } from "./node-journal.ts"

/** Dependencies shared by all nodes of a run. */
export interface NodeDeps {
  context: RunContext<WorkflowInput>
  journal: Journal
  /** Returns the context for calling the run's model in this span. */
  harness(span: NodeSpan): HarnessContext
  /** Opens the files at version `at`, by default at their newest known version. */
  openFiles(at?: WorkspaceVersion): Promise<Workspace>
  /** Text for the prompts that describes the environment in which the result is checked. */
  environment: string
  /** The session's earlier requests, as shown to models. Undefined if there are none. */
  earlierRequests: string | undefined
  /** Reads the outline of a file that is too long to show in full. */
  readOutline: ReadOutline
  /** Ranks the files of a project that is too large to show completely. */
  rankFiles: RankFiles
  /** Access to the checks that run the built project. */
  gate: Gate
  /** Token budget for files that a model receives in full. */
  fileTokens: number
  /** Stores a manifest for the session, and returns its hash. */
  storeManifest(manifest: Manifest): Promise<string>
  /** True if the model compares the files with the request after they are written. */
  review: boolean
  /**
   * True if the run ends with a last look, which finds literal parts of the request that are missing, and parts of
   * files that the run removed.
   */
  lastLook: boolean
  /** True if tests changed by a repair are compared with the request. */
  reviewTests: boolean
  /** Returns the number of files that may currently be written concurrently. */
  filesAtOnce(): number
}
