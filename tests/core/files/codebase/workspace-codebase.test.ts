import { createWorkspaceCodebase } from "@switchyard/core/files/codebase/workspace-codebase"
import { commitChanges } from "@switchyard/core/files/workspaces/commit"
import { codebaseContract } from "../../../contracts/codebase.ts"
import { newStage, put, signal } from "../workspaces/stage.ts"

codebaseContract("a workspace", async () => {
  const stage = await newStage()
  return {
    codebase: createWorkspaceCodebase(stage, stage.session),
    async put(files) {
      const other = await stage.join()
      await commitChanges(
        stage,
        other,
        Object.entries(files).map(([path, content]) => put(path, content)),
        { signal },
      )
    },
    close: () => stage[Symbol.asyncDispose](),
  }
})
