import type { Workspace } from "../../files/workspaces/files.ts"
import type { HarnessContext } from "../harness/context.ts"
import type { RunContext } from "../runs/run-context.ts"
import type { Journal, Visit } from "./node-journal.ts"
import type { WorkflowInput } from "./schema.ts"

/** The dependencies of every node of one run. */
export interface NodeDeps {
  context: RunContext<WorkflowInput>
  journal: Journal
  /** The run's model, speaking in this visit. */
  harness(visit: Visit): HarnessContext
  /** The files as the run last saw them. */
  openFiles(): Promise<Workspace>
}
