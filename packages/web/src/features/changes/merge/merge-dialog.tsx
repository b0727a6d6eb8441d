import type { WorktreeStatus } from "@switchyard/core/files/worktrees/schema"
import { useQuery } from "@tanstack/react-query"
import { ApiError } from "../../../api/client.ts"
import { useToast } from "../../../session/context/studio.ts"
import { Checkbox } from "../../../ui/checkbox.tsx"
import { FormDialog } from "../../../ui/dialog.tsx"
import { ChoiceField, SelectField, TextArea, useFields } from "../../../ui/field.tsx"
import { ErrorNotice } from "../../../ui/notice.tsx"
import { UnprovenNotice } from "../evidence/unproven-notice.tsx"
import { Refusal } from "../worktree/refusal.tsx"
import { useWorktreeActions, useWorktreeQueries } from "../worktree/use-worktree.ts"
import { blankForm, branchOptions, mergeRequest, strategies } from "./merge-form.ts"

/** Merges the changes into a branch, all or nothing. */
export function MergeDialog({ status, onClose }: { status: WorktreeStatus; onClose(): void }) {
  const toast = useToast()
  const { merge } = useWorktreeActions()
  const { form: filled, field: of } = useFields(() => blankForm(status.target_branch))
  const { target } = filled
  const branches = useBranches(target)

  function submit(): void {
    merge.mutate(mergeRequest(filled), {
      onSuccess: (result) => {
        toast(result.message, result.success ? "ok" : "info")
        onClose()
      },
    })
  }

  return (
    <FormDialog
      title="Merge changes"
      action={merge.isPending ? "Merging…" : target ? `Merge into ${target}` : "Merge"}
      blocked={merge.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      {merge.error && <Refusal error={merge.error} />}
      {merge.error instanceof ApiError && merge.error.details.markers === true && (
        <Checkbox
          label="Merge with conflict markers"
          hint="Use this for files that need conflict markers, such as test data."
          {...of("allowMarkers")}
        />
      )}
      <UnprovenNotice />
      <SelectField label="Target branch" options={branches.options} {...of("target")} />
      <ErrorNotice error={branches.error} />
      <ChoiceField label="Merge method" of={strategies} {...of("strategy")} />
      <TextArea
        label="Commit message"
        hint="Leave empty to generate a message."
        {...of("message")}
        rows={4}
        spellCheck
        data-autofocus
        className="font-mono text-sm"
      />
      <Checkbox
        label="Run Git hooks"
        hint="A failing hook stops the merge. Commits are signed if your Git settings require it."
        {...of("runHooks")}
      />
      <Checkbox
        label="Delete worktree after merging"
        hint={filled.deleteWorktree ? "The branch will be deleted too." : "You can keep working from the merged state."}
        {...of("deleteWorktree")}
      />
    </FormDialog>
  )
}

export function useBranches(chosen: string) {
  const { data, error } = useQuery(useWorktreeQueries().branches)
  return { options: branchOptions(data?.branches ?? [], chosen), error }
}
