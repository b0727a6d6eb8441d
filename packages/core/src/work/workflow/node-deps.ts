import type { Workspace } from "../../files/workspaces/files.ts"
import type { NewId } from "../../ids.ts"
import type { ModelProvider } from "../../models/provider.ts"
import type { Clock } from "../../time.ts"
import type { RunContext } from "../runs/run-context.ts"
import type { Journal } from "./node-journal.ts"
import type { WorkflowInput } from "./schema.ts"

/** What every node of one run works with. */
export interface NodeDeps {
  context: RunContext<WorkflowInput>
  journal: Journal
  model: { provider: ModelProvider; model: string }
  clock: Clock
  newId: NewId
  /** The files as the run last saw them. */
  openFiles(): Promise<Workspace>
}
