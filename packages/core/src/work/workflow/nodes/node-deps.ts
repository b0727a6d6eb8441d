import type { ReadOutline } from "../../../files/symbols/outline-store.ts"
import type { Workspace } from "../../../files/workspaces/files.ts"
import type { Manifest, WorkspaceVersion } from "../../../files/workspaces/manifest.ts"
import type { Gate } from "../../gate/gate.ts"
import type { HarnessContext } from "../../harness/context.ts"
import type { RunContext } from "../../runs/run-context.ts"
import type { WorkflowInput } from "../schema.ts"
import type { Journal, NodeSpan } from "./node-journal.ts"

/** The dependencies of every node of one run. */
export interface NodeDeps {
  context: RunContext<WorkflowInput>
  journal: Journal
  /** The harness of the run's model within this span. */
  harness(span: NodeSpan): HarnessContext
  /** Opens the files of the run's newest known version, or of another one. */
  openFiles(at?: WorkspaceVersion): Promise<Workspace>
  /** The session's requests before this run, as models read them; undefined where there are none. */
  earlierRequests: string | undefined
  /** The outline of a file that is too long to be given whole. */
  readOutline: ReadOutline
  /** Shows what was built by running it. */
  gate: Gate
  /** The tokens of files that a model is given whole. */
  fileTokens: number
  /** Stores a list of files of the session, and resolves to its hash. */
  storeManifest(manifest: Manifest): Promise<string>
  /** Whether the files are compared with the request in the end. */
  review: boolean
  /** Whether tests that a repair corrected are compared with the request. */
  reviewTests: boolean
  /** The number of files that may be written side by side at present. */
  filesAtOnce(): number
}
