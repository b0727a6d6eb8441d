import { MergeRequest } from "@switchyard/core/files/worktrees/merge-schema"
import { expect, it } from "vitest"
import {
  blankForm,
  branchOptions,
  mergeRequest,
} from "../../../../../packages/web/src/features/changes/merge/merge-form.ts"

it("asks for the merge that was filled in", () => {
  const form = { ...blankForm("main"), strategy: "merge", message: "Add a shop\n", deleteWorktree: true } as const
  expect(mergeRequest(form)).toEqual({
    target_branch: "main",
    commit_message: "Add a shop\n",
    strategy: "merge",
    delete_worktree: true,
    run_hooks: false,
  })
  expect(MergeRequest.safeParse(mergeRequest(form)).success).toBe(true)
})

it("leaves the branch to the server where none was chosen", () => {
  expect(mergeRequest(blankForm(null)).target_branch).toBeUndefined()
})

it("offers every branch once, and always the chosen one", () => {
  const names = (chosen: string) => branchOptions(["dev", "main"], chosen)
  expect(names("main")).toEqual(["dev", "main"])
  expect(names("gone")).toEqual(["gone", "dev", "main"])
  expect(names("")).toEqual([["", "Choose a branch"], "dev", "main"])
})
